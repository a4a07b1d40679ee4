import type { Clock } from "../../../harness/contract/ports.ts";
import type { BenchEvent } from "../bench-events.ts";
import type { Budget } from "./budget.ts";
import type { Stops } from "./stops.ts";
import type { TrialPlan } from "../../trial/trial-plan.ts";
import type { Admission, HostState, Verdict } from "./admission.ts";

/** Decides which trial starts next, and when. */
export interface Scheduler {
  /**
   * Waits until a trial may start, and takes it; undefined when no further one will. Those that were taken before their turn come first, even when the job
   * is stopped: what was made for them has to go. Call `done` when it has ended.
   */
  next(): Promise<TrialPlan | undefined>;
  /** Takes the next trial before its turn, if one may start at this moment. `prepare` hears of it before anybody does who asks for the next one, and gets it. */
  soon(prepare: (plan: TrialPlan) => void): Promise<void>;
  /** Its room is free again: nothing of it runs, and its sandboxes are gone. */
  done(plan: TrialPlan): void;
}

export interface SchedulerOptions {
  readonly budget: Budget;
  readonly stops: Pick<Stops, "reason" | "stop">;
  readonly clock: Clock;
  /** True when the task's image is there, or is known not to be. */
  readonly ready: (task: string) => boolean;
  /** `hear` is to be called when one more image is there, until the answer is called. Default: that is looked for now and then. */
  readonly onReady?: (hear: () => void) => () => void;
  /** False: the trial is needed no more, and never started. */
  readonly wants?: (plan: TrialPlan) => boolean;
  readonly host: () => Promise<HostState>;
  /** Also of the builds. */
  readonly admission: Admission;
  readonly onEvent: (event: BenchEvent) => void;
  /** So long the first trial in the plan's order is waited for while its image is built and others could start; default 2,000 ms. */
  readonly patienceMs?: number;
}

/** Between two looks at what nobody tells: the machine's memory and disk, money that came back. Milliseconds. */
const lookMs = 100;

/**
 * The plan's order, in which all arms of a task are near each other, so that drift hits them alike; but a slot does not stay idle for an image that takes
 * long while other tasks' images are there. A trial starts when its image, the job's money and the machine's memory, processors and disk allow it.
 */
export function createScheduler(plans: readonly TrialPlan[], o: SchedulerOptions): Scheduler {
  const { admission, budget, stops, clock, onEvent, patienceMs = 2_000 } = o;
  const queue = [...plans];
  const prepared: TrialPlan[] = [];
  let patience: { readonly plan: TrialPlan; readonly until: number } | undefined;
  let paused = false;

  const wanted = (plan: TrialPlan): boolean => o.wants?.(plan) ?? true;
  const pick = (): TrialPlan | undefined => {
    while (queue[0] && !wanted(queue[0])) queue.shift();
    const first = queue[0];
    if (!first || o.ready(first.task.name)) return first;
    if (patience?.plan !== first) patience = { plan: first, until: clock.now() + patienceMs };
    return clock.now() < patience.until ? undefined : queue.find((plan) => o.ready(plan.task.name) && wanted(plan));
  };
  const pause = (reason: string | undefined): void => {
    if (reason !== undefined && !paused) onEvent({ type: "job.pause", ts: clock.now(), reason });
    if (reason === undefined && paused) onEvent({ type: "job.resume", ts: clock.now() });
    paused = reason !== undefined;
  };
  /** Nothing in it is awaited: two slots never take the same trial, or the same room. */
  const take = (host: HostState): { readonly plan?: TrialPlan; readonly verdict?: Verdict } => {
    const plan = pick();
    if (!plan) {
      admission.askedNoMore();
      return {};
    }
    const verdict = admission.ask(plan.task, host);
    if (verdict.type !== "start") return { verdict };
    if (!budget.admit(plan.configuration)) {
      admission.askedNoMore(); // it waits for money
      return { verdict };
    }
    queue.splice(queue.indexOf(plan), 1);
    admission.take(plan.task);
    return { plan, verdict };
  };
  const later = async (): Promise<void> => {
    const over = new AbortController();
    const deaf = o.onReady?.(() => over.abort());
    await clock.sleep(lookMs, over.signal).catch(() => undefined);
    deaf?.();
  };
  const over = (): boolean => {
    if (stops.reason === undefined && queue.length > 0) return false;
    admission.askedNoMore();
    return true;
  };
  return {
    async next() {
      for (;;) {
        const host = await o.host();
        const ahead = prepared.shift();
        if (ahead) return ahead;
        if (over()) return undefined;
        const { plan, verdict } = take(host);
        if (verdict) pause(verdict.type === "pause" ? verdict.reason : undefined);
        if (plan) return plan;
        // Nothing runs whose end could make room: the limit is reached.
        if (verdict?.type === "start" && budget.inFlight === 0) {
          stops.stop("max-cost");
          return undefined;
        }
        await later();
      }
    },
    async soon(prepare) {
      const host = await o.host();
      const plan = over() ? undefined : take(host).plan;
      if (!plan) return;
      prepare(plan);
      prepared.push(plan);
    },
    done: ({ task }) => admission.release(task),
  };
}
