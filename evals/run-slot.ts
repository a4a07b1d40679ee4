import { once } from "node:events";
import type { Task } from "../tasks/task.ts";
import type { Budget } from "./budget.ts";
import type { JobState } from "./job/job-state.ts";
import type { TaskImages } from "./prepare-images.ts";
import { runAttempts, type AttemptsSetting, type MadeAhead } from "./run-attempts.ts";
import type { Admission } from "./schedule/admission.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { Stops } from "./stops.ts";
import { createSandbox, type TrialPlan } from "./trial/plan.ts";
import { knowsSolution } from "./trial/before-agent.ts";

export interface SlotSetting {
  readonly scheduler: Scheduler;
  readonly state: JobState;
  readonly budget: Budget;
  readonly images: TaskImages;
  readonly admission: Pick<Admission, "lend">;
  readonly stops: Pick<Stops, "reason" | "abort">;
  /** A trial's sandbox is made while the one before it is verified. */
  readonly ahead: boolean;
  readonly attempts: Omit<AttemptsSetting, "image" | "ahead" | "lastAttempt" | "onAgentEnd" | "onRemoval">;
}

/** A trial that this slot has taken, and what was made for it before its turn. */
interface Turn {
  readonly plan: TrialPlan;
  readonly made?: Promise<MadeAhead>;
  /** What it had lent is its own again. */
  readonly room?: Promise<void>;
}

/**
 * Runs trials one after the other until there is none left. A slot is with an agent or a verifier as much as can be: the next trial's sandbox is made
 * while this one is verified, where there is room for both, and this one's are removed while the next one runs. A trial has its room until they are
 * gone, and the removal of no more than one trial lags behind. What breaks a trial stops the job, and is thrown when its sandboxes are gone.
 */
export async function runSlot(o: SlotSetting): Promise<void> {
  const { scheduler, state, budget, images, stops, attempts } = o;
  const claim = (plan: TrialPlan | undefined): Turn | undefined => plan && { plan };
  let lagging = Promise.resolve();
  /** The turn that is made ready while this one's work is verified. */
  const ready: { next: Promise<Turn | undefined> } = { next: nobody };
  try {
    for (let turn = claim(await scheduler.next()); turn; turn = (await ready.next) ?? claim(await scheduler.next())) {
      const { plan, made, room } = turn;
      const removals: Promise<unknown>[] = [];
      const over = new AbortController();
      ready.next = nobody;
      try {
        if (stops.reason && made) {
          // Not begun, and nothing will be: what was made for it goes.
          budget.release(plan.configuration);
          removals.push(unmake(made));
          continue;
        }
        await room;
        const tried = await runAttempts(plan, {
          ...attempts,
          image: images.of(plan.task.name),
          lastAttempt: state.past(plan).lastAttempt,
          ...(made && { ahead: made }),
          onAgentEnd() {
            // Another attempt at this trial finds it there already.
            if (o.ahead && !plan.task.steps && ready.next === nobody)
              ready.next = takeAhead(o, plan.task, over.signal).catch(() => undefined);
          },
          onRemoval: (gone) => void removals.push(gone),
        });
        state.add(plan, tried);
        budget.settle(plan.configuration, sumOrNull(tried.attempts.map(({ costUsd }) => costUsd)));
      } catch (error) {
        stops.abort(error);
        if (made) removals.push(unmake(made));
        throw error;
      } finally {
        over.abort();
        await lagging;
        lagging = Promise.all(removals).then(() => scheduler.done(plan));
      }
    }
  } finally {
    const left = await ready.next;
    if (left?.made) await unmake(left.made);
    await lagging;
  }
}

const nobody = Promise.resolve(undefined);

/**
 * The trial that comes next, if it may start beside what runs, with its sandbox on the way. Until the one of `before` is `over` it waits for that: should
 * the image of `before` have to be built again for another attempt, the build may have what this one has taken, or both would wait for ever.
 */
async function takeAhead(o: SlotSetting, before: Task, over: AbortSignal): Promise<Turn | undefined> {
  const { scheduler, images, admission, state, attempts } = o;
  const plan = await scheduler.soon();
  if (!plan) return undefined;
  const room = admission.lend(plan.task, { trial: plan, image: before }, async () => {
    if (!over.aborted) await once(over, "abort");
  });
  const make = async (): Promise<MadeAhead> => {
    const made = await images.of(plan.task.name).current({ retry: false, trial: plan });
    const { jobId: job, signal } = attempts;
    const attempt = state.past(plan).lastAttempt + 1;
    const env = knowsSolution(plan) ? plan.task.solution?.env : {};
    const sandbox = createSandbox(plan, { prepared: made.prepared, job, attempt, signal }, env);
    sandbox.catch(() => undefined); // the attempt that begins with it has the failure as its outcome
    return { images: made, sandbox };
  };
  return { plan, made: make(), room };
}

const unmake = (made: Promise<MadeAhead>): Promise<void> =>
  made
    .then(({ sandbox }) => sandbox)
    .then((sandbox) => sandbox.close())
    .catch(() => undefined); // never made, or left to the sweep

function sumOrNull(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
