import type { RunOverview } from "../../../traces/read/run-overview.ts";
import { count, dollars, duration, plural } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { resultText, timeText } from "../../terminal/run-list.ts";
import type { RunLine } from "../api.ts";
import type { Places } from "../places.ts";

/** A run as the list of runs has it. */
export function runLine(run: RunOverview, places: Places): RunLine {
  const { spent } = run;
  return {
    place: places.of(run.folder),
    begun: timeText(run.startedAt),
    task: oneLine(run.task),
    configuration: oneLine(run.configuration),
    model: oneLine(run.model),
    result: resultText(run),
    passed: run.passed ?? null,
    spent: spent
      ? [plural(spent.turns, "turn"), `${count(spent.input + spent.output)} tokens`, dollars(spent.costUsd), duration(spent.activeMs)].join(
          ", ",
        )
      : "",
  };
}
