import type { Colors } from "picocolors/types.js";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { duration, plural } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";

const nameOf = ({ task, configuration, repeat }: TrialPlace): string => oneLine(`${task}/${configuration}/${repeat}`);

/** Says what stays on the screen of an event; undefined where nothing does. `live`: above a block that has the job's size in its first line. */
export function createEventText(pc: Colors, o: { readonly live?: boolean } = {}): (event: BenchEvent) => string | undefined {
  const told = new Set<string>();
  return (event) => (o.live && event.type === "job.start" ? undefined : describeEvent(event, pc, told));
}

function describeEvent(event: BenchEvent, pc: Colors, told: Set<string>): string | undefined {
  switch (event.type) {
    case "job.wait":
      return `Another runner (process ${event.pid}) works on ${event.job}; waiting for it.`;
    case "job.start": {
      const size = [plural(event.configurations.length, "configuration"), plural(event.tasks, "task"), event.repeats].join(" × ");
      const before = event.finished > 0 ? [`${event.finished} done before`] : [];
      const simulated = event.simulated ? [pc.yellow("simulated model")] : [];
      return [oneLine(event.suite), size, event.sandbox, plural(event.trials, "trial"), ...before, ...simulated].join(" · ");
    }
    case "task.left-out":
      return `left out: ${oneLine(`${event.task}: ${event.reason}`)}`;
    case "image.end": {
      if (event.error !== undefined) return `${pc.yellow("no image")} ${imageOf(event)}: ${oneLine(event.error)}`;
      // Often all tasks deviate alike: each sentence is told once here, and stands in every trial's record.
      const fresh = event.deviations.filter((one) => !told.has(one));
      for (const one of fresh) told.add(one);
      return fresh.length > 0 ? fresh.map((one) => `${oneLine(event.task)}: ${oneLine(one)}`).join("\n") : undefined;
    }
    case "trial.retry": {
      const why = event.error === undefined ? "" : `: ${oneLine(event.error)}`;
      return `${pc.yellow(event.class)} ${nameOf(event.trial)}${why}${event.again ? " (tried again)" : ""}`;
    }
    case "job.pause":
      return `${pc.yellow("paused")}: ${oneLine(event.reason)}`;
    case "job.resume":
      return "Going on.";
    case "job.decision": {
      const { a, b, better, pair, eValue } = event.decision;
      const other = better === a ? b : a;
      return `${pc.bold("decided")}: ${oneLine(better)} did better than ${oneLine(other)}, at pair ${pair} (e-value ${eValue.toFixed(1)})`;
    }
    case "job.stop":
      if (event.reason === "decided") return "All is decided: no further trial is started.";
      if (event.reason === "max-cost") return "The cost limit is reached: no further trial is started.";
      if (event.reason === "asked") return "Stopping: running trials finish first. Press Ctrl-C again to cancel them.";
      return undefined;
    case "image.start":
    case "image.line":
    case "provider.pause":
    case "trial.start":
    case "trial.step":
    case "trial.end":
    case "job.end":
      return undefined;
  }
}

/** Whose image: a task's, or that of its verifier, where that has one of its own. */
export const imageOf = ({ task, verifier }: { readonly task: string; readonly verifier?: true }): string =>
  `${oneLine(task)}${verifier ? " (verifier)" : ""}`;

/** What is done for a task before its first trial: only Docker has images to build. */
export const preparing = (start: Extract<BenchEvent, { type: "job.start" }> | undefined): string =>
  start && start.sandbox !== "docker" ? "preparing" : "building";

/** Which provider sends nothing on for how long. */
export const describeProviderPause = (provider: string, leftMs: number): string =>
  `${oneLine(provider)} limits the rate: nothing is sent to it for ${duration(leftMs)}`;
