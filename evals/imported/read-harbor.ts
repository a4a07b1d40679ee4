import { plural } from "../../harness/text/figures.ts";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { CannotError } from "../../harness/errors.ts";
import type { ImportedTrial } from "./imported-trial.ts";
import type { RunReader } from "./imported-runs.ts";
import { mean } from "../statistics/moments.ts";
import { between, checkResult, filesNamed, fingerprint, readResult } from "./result-files.ts";

const runner = "Harbor";
const optional = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> => schema.nullable().optional();
const exceptionSchema = z.looseObject({ exception_type: z.string() });
const usageSchema = z.looseObject({
  n_input_tokens: optional(z.number()),
  n_cache_tokens: optional(z.number()),
  n_output_tokens: optional(z.number()),
  cost_usd: optional(z.number()),
});
const timingSchema = z.looseObject({ started_at: optional(z.string()), finished_at: optional(z.string()) });
const trialSchema = z.looseObject({
  id: z.string(),
  task_name: z.string(),
  trial_name: z.string(),
  source: optional(z.string()),
  task_checksum: optional(z.string()),
  config: z.looseObject({
    agent: optional(z.looseObject({ import_path: optional(z.string()), kwargs: z.unknown().optional() })),
    timeout_multiplier: optional(z.number()),
    agent_timeout_multiplier: optional(z.number()),
  }),
  agent_info: z.looseObject({
    name: z.string(),
    version: optional(z.string()),
    model_info: optional(z.looseObject({ name: z.string(), provider: optional(z.string()) })),
  }),
  agent_result: optional(usageSchema),
  verifier_result: optional(z.looseObject({ rewards: optional(z.record(z.string(), z.number())) })),
  exception_info: optional(exceptionSchema),
  agent_execution: optional(timingSchema),
  step_results: optional(z.array(z.looseObject({ agent_result: optional(usageSchema), exception_info: optional(exceptionSchema) }))),
});
type Trial = z.infer<typeof trialSchema>;
/** Of a job: its result has no task. */
const jobSchema = z.looseObject({ n_total_trials: z.number() });
const anySchema = z.looseObject({});

/** Exceptions of sandbox, provider or runner: a reward beside them measures no agent. Others, such as a time limit, leave the reward what it is. */
const notTheAgents =
  /^(Environment|Sandbox|AgentSetup|Healthcheck|MemoryLimit|SSHAccess|GKE|RuntimeRequest|AddTestsDir|DownloadVerifier|Api|API|UnknownApi|NetworkConnection|RateLimit|InternalServer|ServiceUnavailable|AgentAuthentication|Authentication|PermissionDenied|ModelNotFound|NotFound|BudgetExceeded|ServiceOperations|MissingExtra|Cancelled|Verifier|RewardFile|Timeout$)/;

/** Jobs of Harbor: a folder a trial, each with `result.json`. Several jobs below the named folder with the same agent, settings and model are repeats. */
export const harborReader: RunReader = {
  format: "harbor",
  runner,
  async read(place, add, notes) {
    const suites = new Set<string>();
    const exceptions = new Map<string, number>();
    let [asked, found, unread] = [0, 0, 0];
    for await (const file of filesNamed(place, (name) => name === "config.json", 4)) {
      const folder = dirname(file);
      if (!existsSync(join(folder, "result.json"))) {
        if (existsSync(join(folder, "trial.log"))) unread++; // a trial that has started
        continue;
      }
      const written = await readResult(join(folder, "result.json"), anySchema, runner);
      if ("n_total_trials" in written) {
        asked += checkResult(written, join(folder, "result.json"), jobSchema, runner).n_total_trials;
        continue;
      }
      const result = checkResult(written, join(folder, "result.json"), trialSchema, runner);
      found++;
      suites.add(result.source ?? "tasks of Harbor");
      for (const name of exceptionsOf(result)) exceptions.set(name, (exceptions.get(name) ?? 0) + 1);
      add(trialOf(result, relative(place, folder) || ".", join(folder, "result.json")));
    }
    if (found === 0 && unread === 0 && asked === 0)
      throw new CannotError(`${place} has no trial of Harbor in it; name the job's folder, which holds one folder a trial.`);
    if (found < asked) notes.unfinished.push(`${place} is not finished: ${found} of ${plural(asked, "trial")} have a result`);
    else if (unread > 0)
      notes.unfinished.push(
        `${place} is not finished: ${unread === 1 ? "1 trial has started and has" : `${unread} trials have started and have`} no result`,
      );
    notes.suite = [...suites].toSorted().join(", ");
    notes.notKnown.push(
      "whether a failure was the agent's or the machinery's is known by the name of its exception alone",
      "turns are not recorded; working time is the agent's phase by the clock",
    );
    if (exceptions.size > 0)
      notes.notKnown.push(`whose fault the exceptions in ${place} were: ${[...exceptions].map(([name, n]) => `${name} ${n}`).join(", ")}`);
  },
};

const exceptionsOf = ({ exception_info, step_results }: Trial): string[] =>
  [exception_info, ...(step_results ?? []).map((step) => step.exception_info)].flatMap((one) => (one ? [one.exception_type] : []));

function trialOf(trial: Trial, trace: string, place: string): ImportedTrial {
  const { agent_info: agent, config } = trial;
  const model = agent.model_info;
  const usages = trial.agent_result
    ? [trial.agent_result]
    : (trial.step_results ?? []).flatMap((step) => (step.agent_result ? [step.agent_result] : []));
  const sum = (of: (usage: z.infer<typeof usageSchema>) => number | null | undefined): number | null =>
    usages.length === 0 ? null : usages.reduce<number | null>((total, usage) => plus(total, of(usage)), 0);
  return {
    task: trial.task_name,
    taskDigest: trial.task_checksum === null || trial.task_checksum === undefined ? null : `harbor ${trial.task_checksum}`,
    arm: agent.name,
    model: model ? [model.provider, model.name].filter((part) => part !== null && part !== undefined).join("/") : null,
    identity: fingerprint([
      agent.name,
      agent.version ?? null,
      config.agent?.import_path ?? null,
      config.agent?.kwargs ?? null,
      config.timeout_multiplier ?? null,
      config.agent_timeout_multiplier ?? null,
    ]),
    repeat: trial.id,
    score: exceptionsOf(trial).some((name) => notTheAgents.test(name)) ? null : rewardOf(trial.verifier_result?.rewards),
    tokensIn: sum((usage) => usage.n_input_tokens),
    tokensOut: sum((usage) => usage.n_output_tokens),
    tokensCached: sum((usage) => usage.n_cache_tokens),
    costUsd: sum((usage) => usage.cost_usd),
    activeMs: between(trial.agent_execution?.started_at, trial.agent_execution?.finished_at),
    trace,
    place,
  };
}

const plus = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b === null || b === undefined ? null : a + b;

/** As of Forge's own trials: `reward`, else the mean of all. */
function rewardOf(rewards: Readonly<Record<string, number>> | null | undefined): number | null {
  const values = Object.values(rewards ?? {});
  if (values.length === 0) return null;
  return rewards?.["reward"] ?? mean(values);
}
