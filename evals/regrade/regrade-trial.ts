import { join } from "node:path";
import { CannotError, InfraError, messageOf } from "../../harness/errors.ts";
import type { PreparedEnvironment } from "../../harness/sandbox/provider.ts";
import type { BenchPorts } from "../bench-ports.ts";
import { OutsideError } from "../trial/evidence.ts";
import { judged, type Judgement } from "../trial/judgement.ts";
import { blobsFolder } from "../trial/keep-delta.ts";
import { layOutArtifacts } from "../trial/kept-artifacts.ts";
import { readKeptDelta } from "../trial/kept-delta.ts";
import { createSandbox, type SandboxPlan, type SuiteMemory } from "../trial/plan.ts";
import type { RewardReading } from "../trial/read-rewards.ts";
import { readSeparate } from "../trial/read-separate.ts";
import { restoreDelta } from "../trial/restore-delta.ts";
import { verifyFresh, verifyUntouched } from "../trial/verify-fresh.ts";
import type { TrialRecord } from "../trial-record.ts";
import { keptFor, type Kept } from "./kept-for.ts";
import { regradedRecord, type RegradePlace } from "./regraded-record.ts";

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
  readonly signal: AbortSignal;
}

/**
 * Verifies a trial again from its kept delta or artifacts: in a fresh sandbox, with the task's tests of now, without the agent. Answers the trial's record with
 * its new verdict. What the machinery fails at is an answer of class `infra`.
 * @throws DamagedError for a delta that is not the one that was kept; CannotError where the task of now needs what was not
 */
export async function regradeTrial(before: TrialRecord, o: RegradeSetting): Promise<TrialRecord> {
  const kept = keptFor(before, o.task);
  const imageDigest = o.task.verifier.environment ? before.imageDigest : o.prepared.digest || null;
  try {
    const {
      class: kind,
      rewards,
      score,
      why,
    } = await (kept?.from === "artifacts" ? judgeArtifacts(before, kept, o) : judgeDelta(before, o));
    const says = kind === "verifier" ? (why ?? "no reward") : `The verifier's score is ${score}.`;
    const evidence = [{ kind: kind === "verifier" ? ("verifier" as const) : ("reward" as const), says, regraded: true }];
    return regradedRecord(before, o, {
      class: kind,
      rewards: rewards && { ...rewards },
      score,
      evidence,
      imageDigest,
      ...(why === undefined ? {} : { error: why }),
    });
  } catch (error) {
    o.signal.throwIfAborted();
    if (!(error instanceof InfraError)) throw error;
    const evidence = [{ kind: "host" as const, says: error.message, regraded: true }];
    return regradedRecord(before, o, { class: "infra", rewards: null, score: null, error: messageOf(error), evidence, imageDigest });
  }
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
      `Task "${o.task.name}" gives its verifier the artifact "${lacking.source}", which was none when its trials ran, so it was not kept.`,
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
