import { plural } from "../../../harness/text/figures.ts";
import { messageOf } from "../../../harness/errors.ts";
import type { JobFolder } from "../../job/job-folder.ts";
import type { Looks } from "../../compare/sequential/sequential-difference.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { jobResultSchema, type JobResult } from "../../job/results/job-result.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { decidedPair } from "../../compare/sequential/decided-pair.ts";
import { type Check, isMachineTrouble } from "./findings.ts";
import { firstDifference, type JobTable } from "./job-table.ts";

/** `result.json` against what its trials come to. */
export async function checkResult(job: JobFolder, lock: JobLock, table: JobTable | undefined, looks?: Looks): Promise<Check[]> {
  const fails = (says: string): Check[] => [{ name: "counts", state: "fails", says }];
  let result: JobResult | undefined;
  try {
    result = await readJson(job.result, jobResultSchema, "is not the result of a job.");
  } catch (error) {
    if (isMachineTrouble(error)) throw error;
    return fails(messageOf(error));
  }
  if (!result) return fails("result.json is missing");
  if (!table) return [{ name: "counts", state: "unchecked", says: "not every trial can be read" }];
  const { comparison: _, configurations, ...counts } = table;
  const said = {
    job: result.job,
    suite: result.suite,
    agent: result.agent,
    sandbox: result.sandbox,
    repeats: result.repeats,
    status: result.status,
    tasks: result.tasks.toSorted(),
    simulated: result.simulated,
    ...pick(result, counts),
    configurations: byName(result.configurations),
    decided: result.decided ?? [],
  };
  const made = {
    job: lock.job ?? result.job,
    suite: lock.suite.name,
    agent: lock.agent,
    sandbox: lock.sandbox,
    repeats: lock.repeats,
    status: table.recorded === table.trials ? "finished" : "decided",
    tasks: Object.keys(lock.tasks).toSorted(),
    simulated: configurations.some(({ simulated }) => simulated),
    ...counts,
    configurations: byName(configurations),
    decided: (looks?.pairs ?? []).map((pair) => decidedPair(pair, looks?.planned ?? 0)),
  };
  const differs = firstDifference(said, made);
  return differs === undefined
    ? [{ name: "counts", state: "holds", says: `result.json is the sum of ${plural(table.recorded, "trial")}` }]
    : fails(`result.json is not what its trials come to: ${differs}`);
}

const pick = (result: JobResult, of: object): object => Object.fromEntries(Object.keys(of).map((key) => [key, result[key]]));

/** In one order, and of each only what is recounted. */
function byName(configurations: readonly JobTable["configurations"][number][]): object {
  return Object.fromEntries(configurations.map(({ configuration, costSimulated: _, ...rest }) => [configuration, rest]));
}
