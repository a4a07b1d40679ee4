import type { Colors } from "picocolors/types.js";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { duration, plural } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";

export const nameOf = ({ task, configuration, repeat }: TrialPlace): string => oneLine(`${task} ${configuration} #${repeat}`);

/** Says what stays on the screen of an event, for terminals and files alike; undefined where nothing does. */
export function createEventText(pc: Colors): (event: BenchEvent) => string | undefined {
  const told = new Set<string>();
  return (event) => describeEvent(event, pc, told);
}

function describeEvent(event: BenchEvent, pc: Colors, told: Set<string>): string | undefined {
  switch (event.type) {
    case "job.wait":
      return `Another runner (process ${event.pid}) works on ${event.job}; waiting for it.`;
    case "job.start": {
      const size = `${plural(event.tasks, "task")} × ${plural(event.configurations.length, "configuration")} × ${plural(event.repeats, "repeat")} = ${plural(event.trials, "trial")}`;
      const before = event.finished > 0 ? `, ${event.finished} done before` : "";
      const simulated = event.simulated ? pc.yellow(" (simulated model)") : "";
      return `${oneLine(event.suite)}: ${size} in ${event.sandbox}, ${event.jobs} at a time${before}${simulated}`;
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
  `${oneLine(provider)} asks for less: nothing is sent to it for ${duration(leftMs)}`;

/** A finished trial in a line: for files, where no table can be drawn. */
export function describeTrialEnd({ record }: Extract<BenchEvent, { type: "trial.end" }>, pc: Colors): string {
  const outcome = record.passed ? pc.green("passed") : record.passed === null ? pc.yellow(record.class) : pc.red("failed");
  return `${outcome} ${nameOf(record)}  ${plural(record.turns, "turn")}, ${duration(record.wallMs)}`;
}
