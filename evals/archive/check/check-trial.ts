import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import type { ToldSteps } from "../../regrade/recorded-steps.ts";
import { combineSteps } from "../../trial/classify/combine-steps.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { trialKey, type KeyComponents, trialSeed } from "../../trial/trial-key.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import type { TraceFacts } from "./trace-facts.ts";

/** What differs, as `tokens.in 10, and the trace has 12`. */
export type Mismatch = string;

const equal = (a: unknown, b: unknown): boolean => (typeof a === "number" && typeof b === "number" ? near(a, b) : a === b);
/** Sums of the same numbers in another order. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80));

function differing(pairs: readonly (readonly [name: string, of: unknown, is: unknown])[], who: string): Mismatch[] {
  return pairs.flatMap(([name, of, is]) => (equal(of, is) ? [] : [`${name} ${shown(of)}, and ${who} ${shown(is)}`]));
}

/** A record against the lock: does it say what a trial of this job says, and is its key made of that? */
export function againstLock(record: TrialRecord, lock: JobLock): Mismatch[] {
  const task = lock.tasks[record.task];
  const configuration = lock.configurations[record.configuration];
  if (!task || !configuration) return ["it is of no task and configuration of the lock"];
  const components: KeyComponents = {
    taskDigest: task.digest,
    mode: task.mode,
    harnessHash: configuration.harnessHash,
    forgeVersion: lock.forgeVersion,
    modelHash: configuration.modelHash,
    sandbox: lock.sandbox,
    // as the lock of this very job was written
    limits: task.limits as KeyComponents["limits"],
    agent: lock.agent,
  };
  const said = configuration.model.simulated ?? false;
  return differing(
    [
      ["taskDigest", record.taskDigest, task.digest],
      ["mode", record.mode, task.mode],
      ["harnessHash", record.harnessHash, configuration.harnessHash],
      ["forgeVersion", record.forgeVersion, lock.forgeVersion],
      ["sandbox", record.sandbox, lock.sandbox],
      ["agent", record.agent, lock.agent],
      [
        "model",
        `${record.modelIdentity.provider}/${record.modelIdentity.name}`,
        `${configuration.model.provider}/${configuration.model.name}`,
      ],
      // what the lock does not know, the server may have signed its replies with
      ["simulated", record.simulated, said || record.simulated],
      ["seed", record.seed, trialSeed(record.task, record.repeat)],
      // what a command was is not in the lock, only its name
      ...(knownAgents.has(lock.agent) ? [["key", record.key, trialKey(components, record.repeat)] as const] : []),
    ],
    "the lock makes",
  );
}

/** Agents whose name is all that a key has of them. */
export const knownAgents: ReadonlySet<string> = new Set(["configured", "oracle", "nop"]);

/** A record of a task in steps against what its steps came to. */
export function againstSteps({ rewards, score, mode }: TrialRecord, { steps, ...whole }: ToldSteps): Mismatch[] {
  const ending = combineSteps(steps, { ...whole, mode }, undefined);
  const made = "rewards" in ending ? ending : { rewards: null, score: null };
  const pairs: (readonly [string, unknown, unknown])[] = [
    ["rewards", canonicalJson(rewards), canonicalJson(made.rewards && { ...made.rewards })],
  ];
  if (made.rewards) pairs.push(["score", score, made.score]);
  return differing(pairs, "its steps make");
}

/** A record against what its traces say. */
export function againstTrace(record: TrialRecord, facts: TraceFacts): Mismatch[] {
  const { starts, ends, replies, verdict, snapshot } = facts;
  const [begun] = starts;
  const last = ends.at(-1);
  if (!begun || !last || ends.length !== starts.length) return ["its trace does not record how the run began and ended"];
  const sum = (of: (one: (typeof ends)[number]["spent"]) => number): number => ends.reduce((total, { spent }) => total + of(spent), 0);
  const costUsd = ends.some(({ spent }) => spent.costUsd === null) ? null : sum((spent) => spent.costUsd ?? 0);
  const said = starts.flatMap(({ meta, seed, model }) => {
    const trial = typeof meta["trial"] === "object" && meta["trial"] !== null && !Array.isArray(meta["trial"]) ? meta["trial"] : {};
    return [
      ["key", record.key, trial["key"]],
      ["task", record.task, trial["task"]],
      ["configuration", record.configuration, trial["configuration"]],
      ["repeat", record.repeat, trial["repeat"]],
      ["attempt", record.attempt, trial["attempt"]],
      ["taskDigest", record.taskDigest, meta["taskDigest"]],
      ["forgeVersion", record.forgeVersion, meta["forgeVersion"]],
      ["agent", record.agent, meta["agent"]],
      ["mode", record.mode, meta["mode"]],
      ["sandbox", record.sandbox, meta["sandbox"]],
      ["imageDigest", record.imageDigest ?? "", meta["imageDigest"]],
      ["seed", record.seed, seed],
      ["model", `${record.modelIdentity.provider}/${record.modelIdentity.name}`, `${model.provider}/${model.name}`],
    ] as const;
  });
  return differing(
    [
      ...said,
      ["tokens.in", record.tokens.in, sum((spent) => spent.input)],
      ["tokens.out", record.tokens.out, sum((spent) => spent.output)],
      ["tokens.cached", record.tokens.cached, sum((spent) => spent.cached)],
      ["tokens.in", record.tokens.in, replies.input],
      ["tokens.out", record.tokens.out, replies.output],
      ["tokens.cached", record.tokens.cached, replies.cached],
      ["costUsd", record.costUsd, costUsd],
      ["costUsd", record.costUsd, replies.costUsd],
      ["turns", record.turns, sum((spent) => spent.turns)],
      ["activeMs", record.activeMs, sum((spent) => spent.activeMs)],
      ["outcome", record.outcome?.type, last.outcome.type],
      [
        "interventions",
        record.interventions,
        record.interventions === facts.middlewareEvents ? facts.middlewareEvents : facts.interventions,
      ],
      ["replyDigest", record.replyDigest, facts.replyDigest],
      ["workspaceHash", record.workspaceHash, snapshot?.["tree"] ?? null],
      ...verdictOf(record, verdict),
    ],
    "the trace has",
  );
}

function verdictOf(record: TrialRecord, verdict: TraceFacts["verdict"]): (readonly [string, unknown, unknown])[] {
  // What was verified to its end is scored: a trial that failed is not taken out of the count by another name.
  if (record.class === "infra" || record.class === "cancelled") return verdict ? [["class", record.class, "a verdict"]] : [];
  if (!verdict) return [["verdict", record.score, undefined]];
  const rewards = (value: unknown): string => JSON.stringify(Object.entries(value ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return [
    ["score", record.score, verdict["score"]],
    ["passed", record.passed ?? false, verdict["passed"]],
    ["rewards", rewards(record.rewards), rewards(verdict["rewards"])],
    ["mode", record.mode, verdict["mode"]],
  ];
}
