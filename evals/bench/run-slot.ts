import { once } from "node:events";
import { ConfigError } from "../../harness/errors.ts";
import type { Task } from "../../tasks/task.ts";
import type { Budget } from "./schedule/budget.ts";
import type { JobState } from "./job-state.ts";
import type { TaskImages } from "./prepare-images.ts";
import { runAttempts, type AttemptsSetting, type MadeAhead } from "./run-attempts.ts";
import type { Admission } from "./schedule/admission.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { Stops } from "./schedule/stops.ts";
import { createSandbox, programOf } from "../trial/sandbox/make-sandbox.ts";
import type { TrialPlan } from "../trial/trial-plan.ts";
import { knowsSolution } from "../trial/sandbox/ready-for-agent.ts";

export interface SlotSetting {
  readonly scheduler: Scheduler;
  readonly state: JobState;
  readonly budget: Budget;
  readonly images: TaskImages;
  readonly admission: Pick<Admission, "lend">;
  readonly stops: Pick<Stops, "reason" | "abort">;
  /** What was made for trials before their turn, by whichever slot: where it is given, a trial's sandbox is made while the one before it is verified. */
  readonly ahead?: Map<TrialPlan, Ahead>;
  readonly attempts: Omit<AttemptsSetting, "image" | "ahead" | "lastAttempt" | "onAgentEnd" | "onRemoval">;
}

/** What was made for a trial before its turn. */
export interface Ahead {
  readonly made: Promise<MadeAhead>;
  /** Its turn has come: what it had lent is to be its own again, and is when it answers. */
  readonly claim: () => Promise<void>;
}

/**
 * Runs trials one after the other until there is none left. A slot is with an agent or a verifier as much as can be: the next trial's sandbox is made
 * while this one is verified, where there is room for both, for whichever slot is free first, and this one's are removed while the next one runs. A trial
 * has its room until they are gone, and the removal of no more than one trial lags behind. What breaks a trial stops the job, and is thrown when its
 * sandboxes are gone.
 */
export async function runSlot(o: SlotSetting): Promise<void> {
  const { scheduler, state, budget, images, stops, attempts } = o;
  let lagging = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  try {
    for (let plan = await scheduler.next(); plan; plan = await scheduler.next()) {
      const own = plan;
      const ahead = o.ahead?.get(own);
      o.ahead?.delete(own);
      const removals: Promise<unknown>[] = [];
      const over = new AbortController();
      /** The trial that is made ready while this one's work is verified. */
      let preparing: Promise<void> | undefined;
      try {
        if (stops.reason && ahead) {
          // Not started, and nothing will be: what was made for it goes.
          budget.release(own.configuration);
          removals.push(unmake(ahead.made));
          continue;
        }
        await ahead?.claim();
        const tried = await runAttempts(own, {
          ...attempts,
          image: images.of(own.task.name),
          lastAttempt: state.past(own).lastAttempt,
          ...(ahead && { ahead: ahead.made }),
          onAgentEnd() {
            // Another attempt at this trial does not make a second one.
            if (o.ahead && !own.task.steps) preparing ??= prepareNext(o, o.ahead, own.task, over.signal).catch(() => undefined);
          },
          onRemoval: (gone) => void removals.push(gone),
        });
        state.add(own, tried);
        budget.settle(own.configuration, sumOrNull(tried.attempts.map(({ costUsd }) => costUsd)));
        const dead = state.dead(own);
        if (dead !== undefined) throw new ConfigError(dead);
      } catch (error) {
        failure ??= { error };
        stops.abort(error); // no trial begins after it, and what was made for others is dropped as they come
        if (ahead) removals.push(unmake(ahead.made));
      } finally {
        over.abort();
        await preparing;
        await lagging;
        lagging = Promise.all(removals).then(() => scheduler.done(own));
      }
    }
  } finally {
    await lagging;
  }
  if (failure) throw failure.error;
}

/**
 * Takes the trial that comes next, if it may start beside what runs, with its sandbox on the way. Until it is claimed, or the one of `before` is `over`, it
 * lends what it has taken: should the image of `before` have to be built again for another attempt, the build may have that, or both would wait for ever.
 */
function prepareNext(o: SlotSetting, ahead: Map<TrialPlan, Ahead>, before: Task, over: AbortSignal): Promise<void> {
  const { scheduler, images, admission, state, attempts } = o;
  return scheduler.soon((plan) => {
    const claimed = new AbortController();
    const until = AbortSignal.any([over, claimed.signal]);
    const room = admission.lend(plan.task, { trial: plan, image: before }, async () => {
      if (!until.aborted) await once(until, "abort");
    });
    const make = async (): Promise<MadeAhead> => {
      const made = await images.of(plan.task.name).current({ retry: false, trial: plan });
      const { jobId: job, signal } = attempts;
      const attempt = state.past(plan).lastAttempt + 1;
      const env = knowsSolution(plan) ? plan.task.solution?.env : {};
      const program = await programOf(plan, attempts.ports, { more: true });
      const sandbox = createSandbox(plan, { prepared: made.prepared, job, attempt, signal, ...program }, env);
      sandbox.catch(() => undefined); // the attempt that begins with it has the failure as its outcome
      return { images: made, sandbox };
    };
    const claim = (): Promise<void> => {
      claimed.abort();
      return room;
    };
    ahead.set(plan, { made: make(), claim });
  });
}

const unmake = (made: Promise<MadeAhead>): Promise<void> =>
  made
    .then(({ sandbox }) => sandbox)
    .then((sandbox) => sandbox.close())
    .catch(() => undefined); // never made, or left to the sweep

function sumOrNull(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
