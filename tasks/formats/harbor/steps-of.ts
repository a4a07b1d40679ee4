import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Solution, TaskStep } from "../../task.ts";
import { requirePart } from "../read/read-part.ts";
import { stepName } from "../check/task-name.ts";
import { agentPhaseOf } from "./agent-phase-of.ts";
import { artifactsOf } from "./artifacts-of.ts";
import { healthcheckOf } from "./environment-of.ts";
import { stripCanary } from "./strip-canary.ts";
import type { TaskToml } from "./task-toml.ts";
import { verificationOf, type VerifiedPlace } from "./verification-of.ts";

/** The steps of a task, in order; each has a folder `steps/<name>`. Throws `ConfigError` for a missing part and for two steps of one name. */
export async function stepsOf(
  config: TaskToml,
  place: VerifiedPlace,
  solution: Solution | undefined,
): Promise<{ steps: TaskStep[]; warnings: string[] }> {
  const file = join(place.root, "task.toml");
  const steps: TaskStep[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  for (const [index, toml] of (config.steps ?? []).entries()) {
    const key = `steps.${index}`;
    const name = stepName(toml.name, `${file}: ${key}.name`);
    const folded = name.normalize("NFC").toLowerCase();
    if (seen.has(folded)) throw new ConfigError(`${file}: ${key}.name: a second step is named "${name}". Give it another name.`);
    seen.add(folded);
    const folder = join(place.root, "steps", name);
    const part = `steps/${name}/instruction.md`;
    const instruction = stripCanary(await requirePart(place.root, part, "Write what the agent is to do in this step into it."));
    if (instruction.trim() === "")
      throw new ConfigError(`${join(place.root, part)}: the instruction is empty. Write what the agent is to do.`);
    const { verification, warnings: more } = await verificationOf(config, place, { toml, folder, key });
    warnings.push(...more);
    const workdirFolder = join(folder, "workdir");
    const hasWorkdir = existsSync(workdirFolder);
    const solves = existsSync(join(folder, "solution", "solve.sh"));
    const env = solution?.env ?? {};
    const own = solves ? { folder: join(folder, "solution"), script: join(folder, "solution", "solve.sh"), env } : solution;
    steps.push({
      name,
      instruction,
      agent: agentPhaseOf(toml.agent, config.agent, `${file}: ${key}.agent`),
      verifier: verification,
      ...(toml.min_reward !== undefined && {
        minReward: typeof toml.min_reward === "number" ? { reward: toml.min_reward } : toml.min_reward,
      }),
      ...(toml.healthcheck && { healthcheck: healthcheckOf(toml.healthcheck) }),
      artifacts: artifactsOf(toml.artifacts, `${file}: ${key}.artifacts`, place.services),
      ...(hasWorkdir && { workdirFolder }),
      setup: hasWorkdir && existsSync(join(workdirFolder, "setup.sh")),
      ...(own && { solution: own }),
    });
  }
  return { steps, warnings };
}
