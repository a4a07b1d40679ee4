import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Solution, Task } from "../../task.ts";
import { checkData } from "../read/check-data.ts";
import { readPlan } from "./read-plan.ts";
import { requirePart } from "../read/read-part.ts";
import { readToml } from "../read/read-toml.ts";
import { resolveEnv, type Variables } from "../read/resolve-env.ts";
import { stepName, taskName } from "../check/task-name.ts";
import { agentPhaseOf } from "./agent-phase-of.ts";
import { artifactsOf } from "./artifacts-of.ts";
import { behindGateway } from "./behind-gateway.ts";
import { environmentOf } from "./environment-of.ts";
import { refuseUnallowed } from "./refuse-unallowed.ts";
import { stepsOf } from "./steps-of.ts";
import { stripCanary } from "./strip-canary.ts";
import { taskToml, type TaskToml } from "./task-toml.ts";
import { verificationOf } from "./verification-of.ts";

/**
 * Reads a task in Harbor's format: `task.toml`, `instruction.md`, `environment/`, `tests/test.sh`, `solution/`, or `steps/` with parts of their
 * own. Throws `ConfigError`: a missing part, a key of the wrong type, a key that asks for what no runner here has (GPUs, Windows),
 * a variable of the user's environment that is not among `variables`. `withPlan`: of the simulated model.
 */
export async function loadHarbor(root: string, variables: Variables, withPlan: boolean): Promise<Omit<Task, "digest" | "own">> {
  const file = join(root, "task.toml");
  const text = await requirePart(root, "task.toml", "Write one; docs/tasks.md has the smallest.");
  const { config, warnings } = checkData(readToml(text, file), taskToml);
  refuseBegun(root, config.steps?.[0] && stepName(config.steps[0].name, `${file}: steps.0.name`));
  const name = nameOf(config, root);
  refuseUnallowed(config, name, file, variables);
  const { environment, warnings: aboutEnvironment } = await environmentOf(config.environment, {
    root,
    folder: join(root, "environment"),
    name,
    table: "environment",
    variables,
  });
  const services = environment.compose?.services.map((service) => service.name) ?? [];
  const place = { root, name, variables, services };
  const solutionFolder = join(root, "solution");
  const script = join(solutionFolder, "solve.sh");
  const solutionEnv = resolveEnv(config.solution.env, variables, `${file}: solution.env`);
  const solution: Solution | undefined = existsSync(script) ? { folder: solutionFolder, script, env: solutionEnv } : undefined;
  const hasSteps = config.steps !== undefined && config.steps.length > 0;
  const { steps, warnings: aboutSteps } = hasSteps ? await stepsOf(config, place, solution) : { steps: [], warnings: [] };
  const first = steps[0];
  const { verification, warnings: aboutVerifier } = first
    ? { verification: first.verifier, warnings: [] }
    : await verificationOf(config, place);
  const agent = agentPhaseOf(config.agent, {}, `${file}: agent`);
  const phases = [{ agent, verifier: verification }, ...steps];
  const inside = phases.flatMap((one) => [one.agent, ...(one.verifier.environment ? [] : [one.verifier])]);
  const plan = withPlan ? await readPlan(root) : undefined;
  return {
    name,
    folder: root,
    format: "harbor",
    instruction: first?.instruction ?? (await instructionOf(root)),
    environment: behindGateway(environment, inside),
    agent,
    verifier: verification,
    ...(solution && { solution }),
    artifacts: artifactsOf(config.artifacts, `${file}: artifacts`, services),
    ...(first && { steps, stepReward: config.multi_step_reward_strategy ?? "mean" }),
    metadata: metadataOf(config),
    ...(config.metadata.forge && { forge: forgeOf(config.metadata.forge) }),
    ...(plan && { plan }),
    wrong: await wrongSolutions(join(solutionFolder, "wrong")),
    warnings: [...new Set([...warnings, ...aboutEnvironment, ...aboutVerifier, ...aboutSteps])],
  };
}

/** Where Harbor's runner looks for a conversation to begin from: beside the first step's instruction, or beside the task's, where it has no steps. */
function refuseBegun(root: string, firstStep: string | undefined): void {
  const begun = firstStep === undefined ? join(root, "trajectory.json") : join(root, "steps", firstStep, "trajectory.json");
  if (existsSync(begun))
    throw new ConfigError(`${begun}: the task begins in the middle of a conversation, which Forge cannot do. Leave it out with --filter.`);
}

/** The name a task.toml gives, else the folder's. Throws `ConfigError` for one that cannot be a name. */
export function nameOf(config: Pick<TaskToml, "task">, root: string): string {
  return config.task.name === undefined
    ? taskName(basename(root), root)
    : taskName(config.task.name, `${join(root, "task.toml")}: task.name`);
}

async function instructionOf(root: string): Promise<string> {
  const instruction = stripCanary(await requirePart(root, "instruction.md", "Write what the agent is asked to do into it."));
  if (instruction.trim() === "")
    throw new ConfigError(`${join(root, "instruction.md")}: the instruction is empty. Write what the agent is asked to do.`);
  return instruction;
}

function metadataOf(config: TaskToml): Task["metadata"] {
  const { difficulty, family, split, category, tags, forge } = config.metadata;
  const theFamily = forge?.family ?? family ?? category;
  const theSplit = forge?.split ?? split;
  return { tags, ...(difficulty && { difficulty }), ...(theFamily && { family: theFamily }), ...(theSplit && { split: theSplit }) };
}

function forgeOf(forge: NonNullable<TaskToml["metadata"]["forge"]>): NonNullable<Task["forge"]> {
  const { local, verify, paths, services, tests } = forge;
  return { local, verify, ...(paths && { paths }), ...(services && { services }), ...(tests && { tests }) };
}

async function wrongSolutions(folder: string): Promise<Task["wrong"]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sh")).sort();
  return names.map((name) => ({ name: name.slice(0, -".sh".length), script: join(folder, name) }));
}
