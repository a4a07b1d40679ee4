import type { BenchEvent } from "./bench-events.ts";
import type { JobLock } from "../job/job-lock.ts";
import type { JobResult } from "../job/results/job-result.ts";
import type { JobState } from "./job-state.ts";
import type { Journal } from "../job/journal.ts";
import type { Stops } from "./schedule/stops.ts";
import type { TrialPlan } from "../trial/trial-plan.ts";
import { decidedPair } from "../compare/sequential/decided-pair.ts";
import { decisionLine, unwritten, watchDecisions } from "../compare/sequential/watch-decisions.ts";

/** What `--until-decided` does to a running job. */
export interface JobLooks {
  wants(plan: TrialPlan): boolean;
  /** Looks at each trial that ends, after it was told; tells what that decided, and stops the job when nothing is open. */
  hear(tell: (event: BenchEvent) => void): (event: BenchEvent) => void;
  result(): JobResult;
}

/**
 * Takes the looks up where the job stands; undefined for a job without a stopping rule.
 * @throws DamagedError where the journal and the trials disagree about what was decided
 */
export async function lookAt(o: {
  readonly lock: JobLock;
  readonly state: JobState;
  readonly journal: Journal;
  readonly stops: Stops;
  readonly now: () => number;
  readonly emit: (event: BenchEvent) => void;
}): Promise<JobLooks | undefined> {
  const { lock, state, journal, stops, now } = o;
  const { untilDecided: rule, study, repeats } = lock;
  if (!rule || !study) return undefined;
  const watch = watchDecisions({ rule, study, repeats, records: state.records() });
  for (const decision of unwritten(state.job.journal, journal.past, watch.before)) await journal.add(decisionLine(decision, now()));
  for (const decision of watch.before) o.emit({ type: "job.decision", ts: now(), decision });
  const wants = (plan: TrialPlan): boolean => {
    const place = { task: plan.task.name, configuration: plan.configuration, repeat: plan.repeat };
    return watch.wants(place) && watch.mayTryAgain(place);
  };
  return {
    wants,
    hear: (tell) => (event) => {
      tell(event);
      if (event.type !== "trial.end") return;
      for (const decision of watch.add(event.record)) tell({ type: "job.decision", ts: now(), decision });
      if (watch.pairs.every(({ decision }) => decision !== null)) stops.stop("decided");
    },
    result: () => ({
      ...state.result(stops.reason, now(), wants),
      decided: watch.pairs.map((pair) => decidedPair(pair, rule.order.length)),
    }),
  };
}
