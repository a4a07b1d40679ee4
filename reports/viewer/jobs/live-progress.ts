import { join } from "node:path";
import type { Clock } from "../../../harness/contract/ports.ts";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import { watchJob } from "../../../evals/bench/watch/watch-job.ts";
import { describeProviderPause, preparing } from "../../terminal/bench-progress/describe-events.ts";
import { createProgressState, type ProgressState } from "../../terminal/bench-progress/progress-state.ts";
import { timeLeft } from "../../terminal/bench-progress/time-left.ts";
import { duration } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { LiveProgress } from "../api.ts";
import type { Places } from "../places.ts";

/** Follows jobs that are worked on, as long as someone asks. */
export interface LiveJobs {
  /** What a running job does now; null at the first question, until its files are read. */
  of(folder: string): LiveProgress | null;
  stop(): void;
}

/** Nobody has asked for so long: the page was closed. */
const forgottenMs = 15_000;

export function createLiveJobs(places: Places, clock: Clock): LiveJobs {
  const watched = new Map<string, { readonly state: ProgressState; readonly stop: AbortController; readonly idle: NodeJS.Timeout }>();
  const watch = (folder: string): ProgressState => {
    const stop = new AbortController();
    const idle = setTimeout(() => stop.abort(new Error("nobody asks")), forgottenMs).unref();
    const one = { state: createProgressState(), stop, idle };
    watched.set(folder, one);
    const onEvent = (event: Parameters<ProgressState["add"]>[0]): void => one.state.add(event);
    const end = (): void => {
      clearTimeout(idle);
      watched.delete(folder);
    };
    watchJob(folder, { onEvent, clock, signal: one.stop.signal }).then(end, end); // the job's own page says what is wrong with its files
    return one.state;
  };
  return {
    of(folder) {
      const one = watched.get(folder);
      one?.idle.refresh();
      const state = one?.state ?? watch(folder);
      return state.start ? described(state, folder, clock.now(), places) : null;
    },
    stop() {
      for (const { stop } of watched.values()) stop.abort(new Error("the viewer has ended"));
    },
  };
}

function described(state: ProgressState, folder: string, now: number, places: Places): LiveProgress {
  const { start } = state;
  const trials = start?.trials ?? 0;
  const running = [...state.running.values()].toSorted((a, b) => a.since - b.since);
  const left = timeLeft({
    ended: state.ended,
    running: running.map(({ place, since }) => ({ task: place.task, elapsedMs: now - since })),
    left: trials - state.done,
    trialsPerTask: start ? start.configurations.length * start.repeats : 1,
    slots: start?.jobs ?? 1,
  });
  const job = jobFolder(folder);
  return {
    done: state.done,
    trials,
    left: left ? `about ${duration(left.likelyMs)} left (${duration(left.lowMs)} to ${duration(left.highMs)})` : "",
    notes: [
      ...(state.paused === undefined ? [] : [`paused: ${oneLine(state.paused)}`]),
      ...(state.stopping ? ["stopping: running trials finish first"] : []),
      ...[...state.building].map(
        ([image, line]) => `${preparing(state.start)} the environment of ${image}${line === "" ? "" : `: ${oneLine(line)}`}`,
      ),
      ...[...state.held].flatMap(([provider, until]) => (until > now ? [describeProviderPause(provider, until - now)] : [])),
    ],
    running: running.map(({ place, attempt, since, step }) => ({
      task: oneLine(place.task),
      configuration: oneLine(place.configuration),
      repeat: place.repeat,
      place: places.of(join(folder, job.attempt(place, attempt))),
      for: duration(now - since),
      says: step ? (step.phase === "verify" ? "being verified" : `turn ${step.turn}${step.command === null ? "" : `: ${oneLine(step.command)}`}`) : "starting", // prettier-ignore
    })),
  };
}
