import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { TaskStep } from "../../tasks/task.ts";
import type { BenchPorts } from "../bench-ports.ts";
import { OutsideError } from "../trial/evidence/evidence.ts";
import { judged, type Judgement } from "../trial/verify/judgement.ts";
import { blobsFolder } from "../trial/keep/store-delta.ts";
import { layOutArtifacts } from "../trial/keep/lay-out-artifacts.ts";
import { readKeptDelta } from "../trial/keep/delta-file.ts";
import { createSandbox } from "../trial/sandbox/make-sandbox.ts";
import type { SandboxPlan, SuiteMemory } from "../trial/trial-plan.ts";
import type { RewardReading } from "../trial/verify/read-rewards.ts";
import { readSeparate } from "../trial/verify/separate-verdict.ts";
import { restoreDelta } from "../trial/keep/lay-out-delta.ts";
import { verifyFresh, verifyUntouched } from "../trial/verify/verify-fresh.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { keptFor, type Kept } from "./what-was-kept.ts";
import type { RegradePlace } from "./regraded-record.ts";

/** As in a trial: a verifier that fails for no reason of the agent's gets this many fresh sandboxes. */
const verifications = 2;

/** `job`: where the delta lies. */
export interface RegradeSetting extends RegradePlace {
  readonly ports: BenchPorts;
  readonly jobId: string;
  /** The environment that it is verified in: the task's, or its verifier's own. */
  readonly prepared: PreparedEnvironment;
  /** The agent's environment, where the verifier has its own; asked for where an untouched one is needed. */
  readonly untouched: () => Promise<PreparedEnvironment>;
  /** Existing: gets `verifier/`, and for the time of the verification `delta/` or `artifacts/`. */
  readonly folder: string;
  readonly memory: SuiteMemory;
  /** Where a step of a task is verified: the steps until it, itself the last. */
  readonly until?: readonly TaskStep[];
  readonly signal: AbortSignal;
}

/** What the tests of now say of what was kept of a trial, or of one step of it: then `trace` and `delta` are the step's. */
export function judgeKept(before: TrialRecord, o: RegradeSetting): Promise<Judgement> {
  const kept = keptFor(before, o.task);
  return kept?.from === "artifacts" ? judgeArtifacts(before, kept, o) : judgeDelta(before, o);
}

async function judgeDelta(before: TrialRecord, o: RegradeSetting): Promise<Judgement> {
  const kept = await readKeptDelta(join(o.job, before.trace));
  const carried = await restoreDelta(kept, blobsFolder(o.job), join(o.folder, "delta"));
  const [place, setting] = placeOf(before, o);
  let reading: RewardReading = { type: "unreadable", why: "not verified" };
  for (let i = 1; i <= verifications && reading.type === "unreadable"; i += 1) {
    const folder = join(o.folder, "verifier", i === 1 ? "" : String(i));
    reading = await verifyFresh(place, setting, await createSandbox(place, setting), carried, folder);
  }
  if (reading.type === "unreadable" && reading.fault) throw new OutsideError(reading.fault);
  const fair = reading.type === "rewards" || before.mode === "official" || (await verifyUntouched(place, setting)).type === "rewards";
  return judged(reading, undefined, fair ? 0 : null);
}

/** As the trial did it: in the verifier's own environment, with the artifacts that were collected then. What the task's hooks do is not done again. */
async function judgeArtifacts(
  before: TrialRecord,
  { digest, inBlobs }: Extract<Kept, { from: "artifacts" }>,
  o: RegradeSetting,
): Promise<Judgement> {
  const artifacts = await layOutArtifacts(join(o.job, before.trace), {
    digest,
    blobs: inBlobs ? blobsFolder(o.job) : undefined,
    to: o.folder,
  });
  const got = new Set(artifacts.map(({ source }) => source));
  const lacking = o.task.artifacts.find(({ source }) => !got.has(source));
  if (lacking)
    throw new CannotError(
      `Task "${o.task.name}" gives its verifier the artifact "${lacking.source}", which the task did not have when its trials ran, so it was not kept.`,
    );
  const declared = new Set(["/logs/artifacts", ...o.task.artifacts.map(({ source }) => source.replace(/(.)\/+$/, "$1"))]);
  const given = artifacts.filter(({ source }) => declared.has(source.replace(/(.)\/+$/, "$1")));
  const [place, setting] = placeOf(before, o);
  return readSeparate({ ...place, mode: before.mode }, setting, given);
}

function placeOf(before: TrialRecord, o: RegradeSetting): [SandboxPlan, RegradeSetting & { attempt: number }] {
  const place = { task: o.task, configuration: before.configuration, repeat: before.repeat };
  return [place, { ...o, job: o.jobId, attempt: before.attempt }];
}
