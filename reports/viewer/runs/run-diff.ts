import { bisect } from "../../../traces/replay/bisect.ts";
import { loadRecording } from "../../../traces/replay/load-recording.ts";
import { oneLine, printable } from "../../terminal/printable.ts";
import type { DiffAnswer, DiffSide } from "../api.ts";
import type { Places } from "../places.ts";
import { runAnswer } from "./run-answer.ts";
import type { RunOutline } from "./run-outline.ts";

/** Characters of the first difference that are shown. */
const longest = 60_000;

/** Where two runs part, and from where on to show each. Throws as `loadRecording`. */
export async function runDiff(a: RunOutline, b: RunOutline, places: Places): Promise<DiffAnswer> {
  const found = bisect(await loadRecording(a.folder, { imported: true }), await loadRecording(b.folder, { imported: true }));
  const { divergence, identical, same, seq } = found;
  const says = divergence
    ? `Turn ${divergence.turn ?? 0}, ${divergence.class}: ${divergence.what}`
    : identical
      ? "The same run, event by event."
      : "The same in all events but for times.";
  const diff = (divergence?.diff ?? "").replace(/^--- recorded /m, "--- first ").replace(/^\+\+\+ replayed /m, "+++ second ");
  return {
    a: side(a, seq.a, places),
    b: side(b, seq.b, places),
    identical,
    same,
    says: oneLine(says),
    diff: printable(diff).trimEnd().slice(0, longest),
  };
}

function side(outline: RunOutline, seq: number | undefined, places: Places): DiffSide {
  const { place, title, verdict, passed } = runAnswer(outline, places);
  // an event that the page does not tell by itself, a request for one, is seen in what follows it
  const at = seq === undefined ? null : Math.min(outline.entries.length, firstFrom(outline, seq));
  return {
    place,
    title,
    verdict,
    passed,
    entries: outline.entries.length,
    part: at,
    turns: outline.turns.map(({ entry }) => entry).filter((entry) => entry > (at ?? 0)),
  };
}

function firstFrom(outline: RunOutline, seq: number): number {
  const told = outline.entryOf(seq);
  const entry = outline.entries[told];
  return entry && (entry.seq === seq || entry.result?.seq === seq) ? told : told + (entry && entry.seq < seq ? 1 : 0);
}
