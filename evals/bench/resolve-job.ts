import { plural } from "../../harness/text/figures.ts";
import { availableParallelism } from "node:os";
import { modelIdentityHash } from "../../harness/config/model-identity.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import { redactDeep } from "../../harness/secrets/redact-json.ts";
import { createRedactor } from "../../harness/secrets/redact-text.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import type { BenchPorts } from "../bench-ports.ts";
import type { BenchRequest } from "./bench-request.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import type { JobLock } from "../job/job-lock.ts";
import { fewest } from "../statistics/family-means.ts";
import { drawnOrder, stoppingRule, wholeFamilies } from "../study/stopping-rule.ts";
import { withFirst, type Study } from "../study/study.ts";
import { refuseHere, refuseMeaningless, refuseUnplayable, whereGood, type LeftOut } from "./leave-out.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { guardOf } from "../trial/sandbox/guard.ts";
import { guarded } from "../trial/sandbox/bounds.ts";
import type { TrialPlan } from "../trial/trial-plan.ts";
import { agentName, keyComponents, trialKeys, trialSeed } from "../trial/trial-key.ts";
import type { Mode } from "../trial/trial-record.ts";

/** A job's folder is shown and handed on: nothing that looks like a key or a password is written there. Hashes are of what was given. */
const redact = createRedactor({ secrets: [] });

/** A request with everything looked up: what `lock.json` says, and the trials in the order in which they are started. */
export interface ResolvedJob {
  readonly config: JsonObject;
  readonly lock: JobLock;
  readonly plans: readonly TrialPlan[];
  readonly tasks: readonly Task[];
  /** Those of the suite that cannot be run as they are meant, or not here. */
  readonly leftOut: readonly LeftOut[];
  readonly models: ReadonlyMap<string, ModelIdentity>;
  readonly sandbox: SandboxKind;
  readonly jobs: number;
}

/** @throws ConfigError for a request that cannot be carried out, with no task that can be run too; CannotError where a model or a sandbox is missing. */
export async function resolveJob(request: BenchRequest, ports: BenchPorts): Promise<ResolvedJob> {
  const { agent, repeats } = request;
  const leftOut = refusedOf(request);
  const selected = await whereGood(selectTasks(request), leftOut, (task) => {
    refuseMeaningless(task, modeOf(task, request.mode));
    refuseUnplayable(task, request);
  });
  checkConfigurations(request.configurations);
  const study = request.study ?? (request.untilDecided ? withFirst(request.configurations.map(({ name }) => name)) : undefined);
  if (request.untilDecided) checkLooks(selected, study);
  const models = new Map<string, ModelIdentity>();
  for (const config of request.configurations) models.set(config.name, await ports.identify(config, agent));
  checkPrices(request, models);
  const harmless =
    agent !== "configured" || [...models.values()].every(({ simulated, provider }) => simulated === true || provider === "scripted");
  const sandbox = await chooseSandbox(request.sandbox, selected, { ports, harmless });
  await refuseAgents(request.configurations, ports.provider(sandbox));
  // an agent that cannot be had is reported before any trial
  if (agent === "configured") for (const config of request.configurations) if (config.agent?.install) await ports.layers?.(config, sandbox);
  const here = await whereGood(selected, leftOut, (task) =>
    refuseHere(task, { agent, mode: modeOf(task, request.mode), provider: ports.provider(sandbox) }),
  );
  const tasks = request.untilDecided ? drawnOrder(here) : here;
  if (request.untilDecided) checkLooks(tasks, study);
  const plans: TrialPlan[] = [];
  const lock: JobLock = {
    v: 1,
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
    ...(request.maxCostUsd === undefined ? {} : { maxCostUsd: request.maxCostUsd }),
    forgeVersion: ports.forgeVersion,
    suite: { name: request.suite.name, digest: request.suite.digest },
    agent: agentName(agent),
    sandbox,
    repeats,
    ...(study === undefined ? {} : { study }),
    ...(request.untilDecided ? { untilDecided: stoppingRule(tasks) } : {}),
    tasks: {},
    configurations: {},
  };
  const jobs = request.jobs ?? Math.min(availableParallelism(), 4);
  const guard = await guardOf(ports.provider(sandbox), jobs, request.bounds);
  for (const task of tasks) {
    const mode = modeOf(task, request.mode);
    const bounded = guarded(task, { mode, sandbox, guard });
    const keysOf = new Map(
      request.configurations.map((config) => {
        const model = identityOf(models, config);
        const components = keyComponents({ task, config, model, agent, forgeVersion: ports.forgeVersion, sandbox, mode });
        return [config, { components, keyOf: trialKeys(components) }];
      }),
    );
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      if (request.wants && !request.wants({ task: task.name, repeat })) continue;
      const seed = trialSeed(task.name, repeat);
      for (const config of armsInTurn(request.configurations, repeat)) {
        const model = identityOf(models, config);
        const keys = keysOf.get(config);
        if (!keys) throw new Error(`no components for configuration ${config.name}`);
        const key = keys.keyOf(repeat);
        plans.push({ task: bounded, configuration: config.name, config, agent, model, repeat, key, seed, mode, sandbox });
        lock.tasks[task.name] ??= { digest: task.digest, mode, ...aboutTask(task), limits: keys.components.limits };
        lock.configurations[config.name] ??= {
          harnessHash: config.hash,
          modelHash: modelIdentityHash(model, config.model),
          model: { ...model },
          config: redactDeep(JSON.parse(JSON.stringify(config)) as JsonObject, redact), // plain JSON by its contract
        };
      }
    }
  }
  return { config: askedOf(request), lock, plans, tasks, leftOut, models, sandbox, jobs };
}

/** Every second repeat begins with the last arm: no arm always comes first. */
function armsInTurn(configurations: readonly ResolvedConfig[], repeat: number): readonly ResolvedConfig[] {
  return repeat % 2 === 0 ? configurations.toReversed() : configurations;
}

function selectTasks({ suite, filter }: BenchRequest): readonly Task[] {
  const tasks = filter === undefined ? suite.tasks : suite.tasks.filter(({ name }) => nameFilter(filter)(name));
  if (tasks.length > 0) return tasks;
  const names = suite.tasks.map(({ name }) => name);
  throw new ConfigError(
    filter === undefined
      ? `Suite "${suite.name}" has no tasks.`
      : `--filter "${filter}" matches no task of suite "${suite.name}". Available: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}.`,
  );
}

/** Tasks that were asked for and could not even be loaded. */
function refusedOf({ suite, filter }: BenchRequest): LeftOut[] {
  const wanted = filter === undefined ? () => true : nameFilter(filter);
  return (suite.refused ?? []).filter(({ name }) => wanted(name)).map(({ name, reason }) => ({ task: name, reason }));
}

function checkConfigurations(configurations: readonly ResolvedConfig[]): void {
  const seen = new Set<string>();
  for (const { name } of configurations) {
    if (seen.has(name))
      throw new ConfigError(`Two configurations are called "${name}"; give one of the files another name, or a name: of its own.`);
    seen.add(name);
  }
  if (seen.size === 0) throw new ConfigError("A bench needs at least one configuration; name one with --config.");
}

/** Another agent reaches its model through a port in a container, or on this machine; what is installed of it is a folder of this machine. */
async function refuseAgents(configurations: readonly ResolvedConfig[], provider: SandboxProvider): Promise<void> {
  const other = configurations.find(({ agent }) => agent !== undefined);
  if (!other) return;
  const name = `configuration "${other.name}" is another agent, which`;
  if (provider.kind === "bubblewrap")
    throw new ConfigError(
      `--sandbox bubblewrap: ${name} cannot reach its model from there; use --sandbox docker, or local-unsafe with nothing to confine it.`,
    );
  const packaged = configurations.some(({ agent }) => agent?.package !== undefined || agent?.install !== undefined);
  if (packaged && provider.kind === "docker" && (await provider.capacity?.())?.local === false)
    throw new ConfigError(
      `--docker-host: ${name} is installed into a folder of this machine, and containers elsewhere do not see it; use a daemon of this machine, or agent: {command: …} without install.`,
    );
}

function checkLooks(tasks: readonly Task[], study: Study | undefined): void {
  if ((study?.pairs ?? []).length === 0)
    throw new ConfigError(
      "--until-decided needs two configurations or more to decide between; name another with --config, or use --ablate or --sweep.",
    );
  const families = wholeFamilies(tasks).length;
  const cure = "take a larger suite, or leave --until-decided out";
  if (tasks.length < fewest.tasks)
    throw new ConfigError(
      `--until-decided: the suite has ${plural(tasks.length, "task")}, and nothing is decided on fewer than ${fewest.tasks}; ${cure}.`,
    );
  if (families < fewest.families)
    throw new ConfigError(
      `--until-decided: the suite's tasks are of ${plural(families, "family", "families")}, and nothing is decided on fewer than ${fewest.families}; ${cure}.`,
    );
}

function checkPrices({ maxCostUsd }: BenchRequest, models: ReadonlyMap<string, ModelIdentity>): void {
  if (maxCostUsd === undefined) return;
  for (const [configuration, { name, priceTable }] of models)
    if (priceTable === null)
      throw new ConfigError(
        `--max-cost needs a price, and none is known for model "${name}" of configuration "${configuration}"; give it with --price in,out (USD per million tokens).`,
      );
}

function modeOf(task: Task, asked: Mode | undefined): Mode {
  return asked ?? (task.forge ? "hardened" : "official");
}

function identityOf(models: ReadonlyMap<string, ModelIdentity>, { name }: ResolvedConfig): ModelIdentity {
  const model = models.get(name);
  if (!model) throw new Error(`no identity for configuration ${name}`);
  return model;
}

const aboutTask = ({ metadata }: Task): { family: string | null; difficulty: string | null; split: string | null } => ({
  family: metadata.family ?? null,
  difficulty: metadata.difficulty ?? null,
  split: metadata.split ?? null,
});

/** `config.json`: what names the job. How many trials run at a time, where the folder lies and what it may cost are not part of it. */
function askedOf({ suite, configurations, untilDecided, agent, repeats, filter, mode, sandbox, asked }: BenchRequest): JsonObject {
  return {
    v: 1,
    suite: suite.name,
    configurations: configurations.map(({ name }) => name),
    agent: agentName(agent),
    repeats,
    filter: filter ?? null,
    mode: mode ?? null,
    sandbox: sandbox ?? null,
    ...(untilDecided ? { untilDecided } : {}),
    asked,
  };
}
