import pc from "picocolors";
import type { BlastRadius, MiddlewareRadius, Tally, TellingPlace } from "../../traces/replay/dry/blast-radius.ts";
import { oneLine, printableData } from "../../harness/text/printable.ts";
import { blastRows, notRecorded } from "../content/blast-rows.ts";
import { shortRun } from "../content/issue-lines.ts";
import { displayWidth, fitMiddle, fitWidth, padWidth, pageWidth } from "../text/display-width.ts";
import { plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { hanging, wrapped } from "../text/wrapped.ts";

const [mostPlaces, longestPlace] = [3, 48];
const sides = ["failed", "passed", "unknown"] as const;
const all = ({ passed, failed, unknown }: Tally): number => passed + failed + unknown;

/** What a configuration would have changed in recorded runs: what its requests would be, then where each changed middleware would act. */
export function describeBlastRadius(config: string, given: BlastRadius, left: readonly { reason: string; runs: number }[]): string {
  const radius = printableData(given);
  const { notKnown, errors, leftOut } = blastRows(given, left);
  const places = radius.telling.slice(0, mostPlaces);
  const more = radius.telling.length - places.length;
  return [
    `${oneLine(config)} on ${plural(all(radius.runs), "recorded run")} ${pc.dim("(no model, nothing is run)")}`,
    requestTable(radius),
    ...(radius.triggers.length > 0 ? ["", ...blastAtAGlance(given)] : []),
    ...[...notKnown, ...errors].map((line) => wrapped(line, "", pageWidth())),
    ...(places.length > 0
      ? ["", `The ${places.length === 1 ? "most telling place" : `${places.length} most telling places`}:`, ...placeLines(places)]
      : []),
    ...(more > 0 ? [pc.dim(`  … ${more} more: --json`)] : []),
    ...(leftOut.length > 0 ? ["", ...leftOut.map((line) => wrapped(line, "", pageWidth()))] : []),
  ].join("\n");
}

function requestTable({ runs, requests: { changed, first, notKnown, asks } }: BlastRadius): string {
  const shown = sides.filter((side) => runs[side] > 0);
  const rest = { failed: 0, passed: 0, unknown: 0 };
  for (const side of sides) rest[side] = runs[side] - changed[side] - notKnown[side];
  const row = (name: string, part: Tally, why: string): string[] => [name, ...shown.map((side) => `${part[side]} of ${runs[side]}`), why];
  const askers = Object.keys(asks).join(", ");
  const rows = [
    row("would differ", changed, first ? `first at turn ${first.earliest}, median ${first.median}` : ""),
    row("would be the same", rest, ""),
    ...(all(notKnown) > 0 ? [row("cannot be known", notKnown, `${askers} ${notRecorded}`)] : []),
  ];
  // the last column is a text: set to the left, and cut where it is longer than the page
  const table = plainTable(
    ["", ...shown.map((side) => (side === "unknown" ? "no verdict" : side))],
    rows.map((cells) => cells.slice(0, -1)),
  ).split("\n");
  return table
    .map((line, i) => {
      const why = i === 0 ? "" : (rows[i - 1]?.at(-1) ?? "");
      return why === "" ? line : fitWidth(`${line}   ${why}`, pageWidth());
    })
    .join("\n");
}

/** `loop-detection would act in 6 of 18 failed and 16 of 78 passed runs (inject 41, block 104)`: a line each middleware that acts or throws, then the others. */
export function blastAtAGlance(given: BlastRadius, columns = pageWidth()): string[] {
  const { triggers } = printableData(given);
  const acts = triggers.filter(({ fires, threw }) => all(fires) > 0 || threw > 0);
  const quiet = triggers.filter((one) => !acts.includes(one) && all(one.watched) > all(one.notKnown));
  const gone = triggers.filter(({ watched }) => all(watched) === 0);
  return [
    ...acts.map(actLine),
    ...(quiet.length > 0 ? [`${quiet.map(({ name }) => name).join(", ")} would not act where that can be known`] : []),
    ...(gone.length > 0 ? [`${gone.map(({ name }) => name).join(", ")} would be gone`] : []),
  ].flatMap((line) => wrapped(line, "", columns).split("\n"));
}

function actLine({ name, watched, notKnown, fires, places, threw }: MiddlewareRadius): string {
  const words = { failed: "failed", passed: "passed", unknown: "unjudged" };
  const of = sides.filter((side) => watched[side] > 0).map((side) => `${fires[side]} of ${watched[side] - notKnown[side]} ${words[side]}`);
  const effects = Object.entries(places).map(([effect, times]) => `${effect} ${times}`);
  const acts = `would act in ${of.join(" and ")} runs${effects.length > 0 ? ` (${effects.join(", ")})` : ""}`;
  return threw > 0 ? `${name} threw in ${threw} of ${plural(all(watched), "run")}; elsewhere it ${acts}` : `${name} ${acts}`;
}

function placeLines(places: readonly TellingPlace[]): string[] {
  const named = places.map(({ run, seq }) => fitMiddle(`${shortRun(run)}:${seq}`, longestPlace));
  const longest = Math.max(...named.map(displayWidth));
  const several = new Set(places.map(({ middleware }) => middleware)).size > 1;
  return places.map(({ turn, passed, effect, change, why, middleware }, i) => {
    const how = passed === undefined ? "no verdict" : passed ? "passed" : "failed";
    const what = oneLine(`${several ? `${middleware}: ` : ""}${effect === "inject" ? `injects, as ${why}` : change}`);
    const head = `  ${padWidth(named[i] ?? "", longest)}   `;
    const place = `${head}${how}, turn ${turn}   `;
    const line = hanging(place + fitWidth(what, 100 - displayWidth(place)));
    return passed === undefined ? line : line.replace(`${head}${how}`, `${head}${passed ? pc.green(how) : pc.red(how)}`);
  });
}
