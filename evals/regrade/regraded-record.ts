import { join, relative } from "node:path";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import type { BenchPorts } from "../bench-ports.ts";
import type { TrialRecord } from "../trial/trial-record.ts";

/** What a record of a regrade names. */
export interface RegradePlace {
  readonly ports: Pick<BenchPorts, "clock" | "forgeVersion">;
  /** The job's folder. */
  readonly job: string;
  /** The task as it is now. */
  readonly task: Task;
  readonly sandbox: SandboxKind;
  /** The folder that the new record's `trace` is relative to. */
  readonly results: string;
}

export type Verdict = Pick<TrialRecord, "class" | "rewards" | "score" | "evidence" | "imageDigest"> & { readonly error?: string };

/** The run is the same one, so all that was measured of it stands; what names the verification is of now. */
export function regradedRecord(before: TrialRecord, { ports, job, task, sandbox, results }: RegradePlace, verdict: Verdict): TrialRecord {
  const { error: _, ...rest } = before;
  const was = { key: before.key, taskDigest: before.taskDigest, imageDigest: before.imageDigest, class: before.class, score: before.score };
  const isSame = before.taskDigest === task.digest && before.sandbox === sandbox;
  return {
    ...rest,
    taskDigest: task.digest,
    sandbox,
    forgeVersion: ports.forgeVersion,
    ...verdict,
    passed: verdict.score === null ? null : verdict.score >= 1,
    key: isSame ? before.key : sha256(`regrade ${before.key} ${sandbox} ${task.digest}`),
    trace: relative(results, join(job, before.trace)),
    regrade: { of: before.trace, at: ports.clock.now(), before: was },
  };
}

/** A trial that cannot be verified again has no score here: a table of some trials by the old tests and some by the new ones would say nothing. */
export function leftOutRecord(before: TrialRecord, place: RegradePlace, why: string): TrialRecord {
  const evidence = [{ kind: "verifier" as const, says: why, lasting: true, leftOut: true }];
  return regradedRecord(before, place, {
    class: "infra",
    rewards: null,
    score: null,
    evidence,
    error: why,
    imageDigest: before.imageDigest,
  });
}
