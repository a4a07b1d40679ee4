import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { BenchEvent } from "./bench-events.ts";
import type { TrialPlace } from "../trial/trial-place.ts";
import type { BenchPorts } from "../bench-ports.ts";
import type { JobFolder } from "../job/job-folder.ts";
import type { Journal } from "../job/journal.ts";
import type { AttemptImages, TaskImage } from "./prepare-images.ts";
import { maxAttempts, type SuiteMemory, type TrialPlan } from "../trial/trial-plan.ts";
import type { TrialStep } from "../trial/attempt/trial-progress.ts";
import { runTrial } from "../trial/attempt/run-trial.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { jsonText, writeWhole } from "../../harness/files/write-json.ts";

export interface AttemptsSetting {
  readonly ports: BenchPorts;
  readonly job: JobFolder;
  readonly jobId: string;
  readonly journal: Journal;
  readonly image: TaskImage;
  /** What the first attempt begins with; left out: it makes its own. */
  readonly ahead?: Promise<MadeAhead>;
  readonly memory: SuiteMemory;
  readonly jobs: number;
  readonly retryMs: number;
  /** Attempts of earlier runs of the job. */
  readonly lastAttempt: number;
  readonly signal: AbortSignal;
  /** True: nothing further is started, no attempt either. */
  readonly stopped: () => boolean;
  readonly onEvent: (event: BenchEvent) => void;
  readonly onAgentEnd?: () => void;
  readonly onRemoval?: (gone: Promise<void>) => void;
}

/** Times `retryMs`. */
const patience = 30;

/** An attempt's images, and its sandbox made of them before it begins. */
export interface MadeAhead {
  readonly images: AttemptImages;
  readonly sandbox: Promise<Sandbox>;
}

export interface TriedTrial {
  readonly attempts: readonly TrialRecord[];
  /** The last attempt's, where it was published. */
  readonly result?: TrialRecord;
}

/**
 * Tries a trial until it has an outcome, and publishes it as the trial's `result.json`. A trial that was cancelled, or that a stop kept from
 * another attempt, has no result: it is still to be done.
 */
export async function runAttempts(plan: TrialPlan, o: AttemptsSetting): Promise<TriedTrial> {
  const place: TrialPlace = { task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat };
  const { now } = o.ports.clock;
  const records: TrialRecord[] = [];
  for (let i = 1; ; i += 1) {
    const attempt = o.lastAttempt + i;
    const trace = o.job.attempt(place, attempt);
    const folder = join(o.job.path, trace);
    await mkdir(folder, { recursive: true });
    await o.journal.add({ t: "attempt.start", ts: now(), ...place, attempt });
    o.onEvent({ type: "trial.start", ts: now(), trial: place, attempt });
    const { ports, memory, jobs, signal, onAgentEnd, onRemoval } = o;
    const made = i === 1 ? await o.ahead : undefined;
    const images = made?.images ?? (await o.image.current({ retry: i > 1, trial: plan }));
    const onStep = (step: TrialStep): void => o.onEvent({ type: "trial.step", ts: now(), trial: place, attempt, step });
    const record = await runTrial(plan, {
      ports,
      ...images,
      ...(made && { sandbox: made.sandbox }),
      memory,
      jobs,
      signal,
      attempt,
      folder,
      trace,
      job: o.jobId,
      onStep,
      ...(onAgentEnd && { onAgentEnd }),
      ...(onRemoval && { onRemoval }),
    });
    records.push(record);
    const { class: kind, passed, error } = record;
    const lasting = record.evidence?.some((seen) => seen.lasting === true) ?? false;
    const again = kind === "infra" && i < maxAttempts && !lasting && !o.stopped();
    const open = kind === "cancelled" || (kind === "infra" && !lasting && i < maxAttempts);
    const result = open ? undefined : jsonText(record);
    // Told before it is there: a reader never meets a result of which the journal does not know what it is to be.
    await o.journal.add({
      t: "attempt.end",
      ts: now(),
      ...place,
      attempt,
      class: kind,
      passed,
      ...(error === undefined ? {} : { error }),
      ...(result === undefined ? {} : { sha256: sha256(result) }),
    });
    if (kind === "infra" || kind === "cancelled")
      o.onEvent({ type: "trial.retry", ts: now(), trial: place, attempt, class: kind, again, ...(error === undefined ? {} : { error }) });
    if (open && !again) return { attempts: records };
    if (result === undefined) {
      await o.ports.clock.sleep(o.retryMs * 2 ** (i - 1), o.signal).catch(() => undefined); // an abort ends the wait; the next attempt sees it
      await sandboxesAreBack(plan, o);
      if (o.stopped() && !o.signal.aborted) return { attempts: records };
      continue;
    }
    await writeWhole(join(o.job.path, o.job.trial(place), "result.json"), result);
    o.onEvent({ type: "trial.end", ts: now(), trial: place, record });
    return { attempts: records, result: record };
  }
}

/** A daemon that is restarted takes longer than a call that failed: no attempt is spent on one that does not answer, for a while. */
async function sandboxesAreBack({ sandbox }: TrialPlan, { ports, retryMs, signal, stopped }: AttemptsSetting): Promise<void> {
  const { clock } = ports;
  const provider = ports.provider(sandbox);
  const until = clock.now() + retryMs * patience;
  while (clock.now() < until && !stopped() && !signal.aborted && (await provider.available()) !== true)
    await clock.sleep(retryMs, signal).catch(() => undefined); // as above
}
