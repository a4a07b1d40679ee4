import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Solution, Task } from "../../task.ts";
import { checkData } from "../read/check-data.ts";
import { requirePart, readPart } from "../read/read-part.ts";
import { readToml } from "../read/read-toml.ts";
import { resolveEnv, type Variables, variableIn } from "../read/resolve-env.ts";
import { stepName, taskName } from "../check/task-name.ts";
import { agentPhaseOf } from "./agent-phase-of.ts";
import { artifactsOf } from "./artifacts-of.ts";
import { behindGateway } from "./behind-gateway.ts";
import { environmentOf } from "./environment-of.ts";
import { stepsOf } from "./steps-of.ts";
import { stripCanary } from "./strip-canary.ts";
import { taskToml, type TaskToml } from "./task-toml.ts";
import { verificationOf } from "./verification-of.ts";
import { planSchema, type Plan } from "../../../harness/models/simulated/plan.ts";
import { readYaml } from "../read/read-yaml.ts";
import { shownValue } from "../read/shown-value.ts";

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
  const instruction = stripCanary(await requirePart(root, "instruction.md", "Write what the agent is to do into it."));
  if (instruction.trim() === "")
    throw new ConfigError(`${join(root, "instruction.md")}: the instruction is empty. Write what the agent is to do.`);
  return instruction;
}

function metadataOf(config: TaskToml): Task["metadata"] {
  const { difficulty, family, split, category, tags, forge } = config.metadata;
  const theFamily = forge?.family ?? family;
  const theSplit = forge?.split ?? split;
  return {
    tags,
    ...(difficulty && { difficulty }),
    ...(theFamily && { family: theFamily }),
    ...(category && { category }),
    ...(theSplit && { split: theSplit }),
  };
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

/** Reads a task's `solution/plan.yaml`; undefined where there is none. Throws `ConfigError` with the line of broken YAML, or the key that is wrong. */
async function readPlan(root: string): Promise<Plan | undefined> {
  const text = await readPart(root, "solution/plan.yaml");
  if (text === undefined) return undefined;
  const file = join(root, "solution", "plan.yaml");
  const read = planSchema.safeParse(readYaml(text, file).data);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new ConfigError(
    `${file}: ${issue?.path.join(".") ?? "plan"}: ${issue?.message ?? "not a plan"}. The schema of a plan is in docs/tasks.md.`,
  );
}

/**
 * Nothing of the user's environment goes to a task that the user did not allow. Throws `ConfigError` with every variable that the tables of
 * `config` ask for, that has no default, and that `variables` does not know; one that is allowed and not set is known, with no value.
 */
function refuseUnallowed(config: TaskToml, name: string, file: string, variables: Variables): void {
  const verifiers = [config.verifier, ...(config.steps ?? []).map(({ verifier }) => verifier)];
  const places = [config.environment, config.solution, ...verifiers, ...verifiers.map(({ environment }) => environment)];
  const wanted = new Set<string>();
  for (const value of places.flatMap((place) => Object.values(place?.env ?? {}))) {
    const asked = variableIn(value);
    if (asked && asked.otherwise === undefined && !Object.hasOwn(variables, asked.name)) wanted.add(asked.name);
  }
  if (wanted.size === 0) return;
  const names = [...wanted].map((one) => (/^\w{1,100}$/.test(one) ? one : shownValue(one))).join(", ");
  throw new ConfigError(
    `${file}: task "${name}" needs ${names} of your environment, and a task gets none of it that you did not allow. If you trust the task with ${wanted.size === 1 ? "it, give it" : "them, give each"} to forge bench by --task-env NAME; else leave the task out with --filter.`,
  );
}
