import { z } from "zod";
import { harnessHash, type HashedConfig } from "../../../harness/config/harness-hash.ts";
import { modelIdentityHash } from "../../../harness/config/model-identity.ts";
import { messageOf } from "../../../harness/errors.ts";
import type { JobFolder } from "../../job/job-folder.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { createFindings, type Check } from "./findings.ts";

const askedSchema = z.looseObject({ configurations: z.array(z.string()), agent: z.string(), repeats: z.int() });
/** Takes the place of each character of a secret (`redact.ts`): what was hashed cannot be made again from there. */
const mask = "\u2588";

/** The lock against what was asked, and its hashes against the configurations that stand beside them. */
export async function checkLock(job: JobFolder, lock: JobLock): Promise<Check[]> {
  const lockFindings = createFindings("lock");
  await lockFindings.look("config.json", async () => {
    const asked = await readJson(job.config, askedSchema, "does not record the request.");
    if (!asked) return lockFindings.fails("config.json is missing");
    const names = Object.keys(lock.configurations);
    const same =
      asked.agent === lock.agent &&
      asked.repeats === lock.repeats &&
      asked.configurations.toSorted().join("\n") === names.toSorted().join("\n");
    if (!same) lockFindings.fails("config.json requests another agent, other configurations or repeats than the lock has");
  });
  for (const [name, { config, harnessHash: said, modelHash, model }] of Object.entries(lock.configurations)) {
    if (JSON.stringify(config).includes(mask)) {
      lockFindings.unchecked(`a secret was taken out of configuration ${name}, so its hashes cannot be recomputed`);
      continue;
    }
    try {
      // whatever it is, it must give the hash: a wrong shape gives another one, or throws
      const given = config as unknown as HashedConfig & { model: Parameters<typeof modelIdentityHash>[1] };
      if (harnessHash(given) !== said) lockFindings.fails(`the harness of configuration ${name} does not fit its hash`);
      else if (modelIdentityHash(model as Parameters<typeof modelIdentityHash>[0], given.model) !== modelHash)
        lockFindings.fails(`the model of configuration ${name} does not fit its hash`);
      else lockFindings.holds();
    } catch (error) {
      lockFindings.fails(`configuration ${name} is not one of Forge's: ${messageOf(error)}`);
    }
  }
  return lockFindings.checks(() => "every configuration fits its hashes, and the lock the request");
}
