import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import { describeComparison } from "../../../reports/terminal/comparison/comparison.ts";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";

/** A comparison with all that the page for a terminal can show. */
export const inFull = (report: ComparisonReport): string => describeComparison(report, { all: true });

/** A page whose long lines are in one piece again. */
export const unwrapped = (page: string): string => page.replaceAll(/\n +/g, " ");

/** By task, a score a repeat; null for a trial without a score. */
export type Scores = Record<string, readonly (number | null)[]>;

/** A job whose configurations scored so: by configuration, by task, a score a repeat; null for a trial without a score. */
export function job(
  scores: Record<string, Scores>,
  o: {
    folder?: string;
    simulated?: boolean;
    digest?: string;
    sandbox?: "docker" | "local";
    /** Of all configurations, or by configuration. */
    model?: string | Record<string, string>;
    /** By configuration; else its name. */
    harness?: Record<string, string>;
    sameReplies?: boolean;
    forgeVersion?: string;
    config?: FinishedJob["lock"]["configurations"][string]["config"];
    family?: (task: string) => string;
    jobs?: number;
  } = {},
): FinishedJob {
  const { folder = "jobs/a", simulated = false, digest = "d", sandbox = "docker", model = "m", forgeVersion = "0.1.0" } = o;
  const modelOf = (name: string): string => (typeof model === "string" ? model : (model[name] ?? "m"));
  const hashOf = (name: string): string => sha256(o.harness?.[name] ?? name);
  const identityOf = (name: string): TrialRecord["modelIdentity"] => ({
    provider: "local",
    name: modelOf(name),
    protocol: "native",
    priceTable: null,
  });
  const tasks = [...new Set(Object.values(scores).flatMap(Object.keys))];
  return {
    folder,
    lock: {
      v: 1,
      forgeVersion,
      suite: { name: "suite", digest },
      agent: "configured",
      sandbox,
      repeats: 1,
      tasks: Object.fromEntries(
        tasks.map((task) => [
          task,
          { digest: digest + task, mode: "hardened" as const, family: null, difficulty: null, split: null, limits: {} },
        ]),
      ),
      configurations: Object.fromEntries(
        Object.keys(scores).map((name) => [
          name,
          { harnessHash: hashOf(name), modelHash: sha256(modelOf(name)), model: identityOf(name), config: o.config ?? {} },
        ]),
      ),
    },
    records: Object.entries(scores).flatMap(([configuration, byTask]) =>
      Object.entries(byTask).flatMap(([task, repeats]) =>
        repeats.map((score, i): TrialRecord => ({
          v: 1,
          key: sha256(`${folder} ${configuration} ${task} ${i}`),
          task,
          taskDigest: digest + task,
          family: o.family?.(task) ?? null,
          difficulty: null,
          configuration,
          harnessHash: hashOf(configuration),
          forgeVersion,
          agent: "configured",
          modelIdentity: identityOf(configuration),
          repeat: i + 1,
          attempt: 1,
          class: score === null ? "infra" : score >= 1 ? "passed" : "agent",
          rewards: score === null ? null : { reward: score },
          score,
          passed: score === null ? null : score >= 1,
          tokens: { in: 10, out: 5, cached: 0 },
          costUsd: null,
          priceTable: null,
          turns: 2,
          interventions: 0,
          activeMs: 100,
          wallMs: 200,
          seed: 1,
          sandbox,
          mode: "hardened",
          simulated,
          servedModel: null,
          imageDigest: null,
          deviations: [],
          usage: {},
          load: { cpus: 2, average: 0, jobs: o.jobs ?? 1 },
          outcome: { type: "done" },
          replyDigest: sha256(o.sameReplies ? `${configuration} ${task}` : `${configuration} ${task} ${i}`),
          workspaceHash: null,
          trace: "trials/x",
          startedAt: 0,
        })),
      ),
    ),
  };
}

/** n tasks; the arm passes those whose number `passes` says. */
export const suite = (n: number, passes: (i: number) => number | null, repeats = 1): Scores =>
  Object.fromEntries(
    Array.from({ length: n }, (_, i) => [`t${String(i).padStart(2, "0")}`, Array.from({ length: repeats }, () => passes(i))]),
  );
