import { partingOf, type PartingSide } from "../../../evals/compare/flips/parting.ts";
import { tornText } from "../../../traces/read/torn-tail.ts";
import { writerOf } from "../../../traces/format/writer-claim.ts";
import { bisect } from "../../../traces/replay/diff/bisect.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { plural } from "../../text/format.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";
import type { DiffAnswer, DiffSide } from "../api.ts";
import type { Places } from "../places.ts";
import { runAnswer } from "./run-answer.ts";
import type { RunOutline } from "./run-outline.ts";

/** Characters of the first difference that are shown. */
const longest = 60_000;

/**
 * Where two runs part. Two configurations differ in the very first event, so what counts is where the model's replies do; the first event that differs in
 * any way is told beside it. Throws as `loadRecording`.
 */
export async function runDiff(a: RunOutline, b: RunOutline, places: Places): Promise<DiffAnswer> {
  const found = bisect(await loadRecording(a.folder, { imported: true }), await loadRecording(b.folder, { imported: true }));
  const { divergence, identical, same } = found;
  const cut: string[] = [];
  const parting = await partingOf(a.folder, b.folder, (run, torn) =>
    cut.push(`Of the ${run === a.folder ? "first" : "second"} run ${tornText(torn, { writing: writerOf(run) !== undefined })}.`),
  );
  const until = `${plural(same, "event")} of all lanes are the same until then.`;
  return {
    a: side(a, parting?.a, places),
    b: side(b, parting?.b, places),
    says: [
      parting
        ? `The model's replies part at turn ${parting.turn}.`
        : identical
          ? "The same run, event by event."
          : "The model writes and calls the same throughout.",
      ...cut,
    ].join(" "),
    first: {
      says: divergence ? oneLine(`Turn ${divergence.turn ?? 0}, ${divergence.class}: ${divergence.what} ${until}`) : "",
      diff: printable(divergence?.diff ?? "")
        .replace(/^=+\n/, "")
        .replace(/^--- recorded /m, "--- first ")
        .replace(/^\+\+\+ replayed /m, "+++ second ")
        .trimEnd()
        .slice(0, longest),
    },
  };
}

function side(outline: RunOutline, parting: PartingSide | undefined, places: Places): DiffSide {
  const { place, job, taskName, title, verdict, passed, turns } = runAnswer(outline, places);
  const after = parting && parting.after.length > 0 ? ` (after ${parting.after.join(", ")})` : "";
  return {
    place,
    job,
    taskName,
    title,
    verdict,
    passed,
    entries: outline.entries.length,
    part: parting ? outline.entryOf(parting.seq) : null,
    says: parting ? oneLine(`${parting.says === "" ? "says nothing" : parting.says}${after}`) : "",
    turns: turns.map(({ turn, entry }) => ({ turn, entry })),
  };
}
