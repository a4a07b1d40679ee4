import { plural } from "../../harness/text/figures.ts";
import pc from "picocolors";
import { ConfigError } from "../../harness/errors.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { folded, hanging } from "../../reports/text/wrapped.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { bisect } from "../../traces/replay/diff/bisect.ts";
import { loadRecording } from "../../traces/replay/verify/load-recording.ts";
import type { StartDifference } from "../../traces/replay/diff/start-differences.ts";
import { findRuns } from "../../traces/store/find-runs.ts";
import { runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";

/** Says where two runs part; answers the exit code: 0 when they do not, 1 when they do. */
export async function diffRuns(folders: readonly string[], o: { readonly json?: boolean }): Promise<number> {
  const runs = (await Promise.all(folders.map(findRuns))).flat();
  const [first, second] = runs;
  if (first === undefined || second === undefined || runs.length > 2)
    throw new ConfigError(
      `forge traces diff needs two runs, and ${folders.join(" ")} holds ${runs.length}; name the folders of two attempts.`,
    );
  const a = await loadRecording(first, { imported: true });
  const b = await loadRecording(second, { imported: true });
  const found = bisect(a, b);
  if (!o.json) for (const { folder, torn } of [a, b]) sayTorn(folder, torn);
  const { divergence, configuration, seq, same, probes, identical } = found;
  if (o.json)
    process.stdout.write(
      `${jsonLine({ type: "bisect", a: runName(first), b: runName(second), ...found, divergence: divergence ?? null, torn: { a: a.torn, b: b.torn } })}\n`,
    );
  else if (!divergence)
    process.stdout.write(
      `${pc.green("=")} ${identical ? `the same run, ${plural(same, "event")}` : `the same in ${plural(same, "event")} but for times`}\n`,
    );
  else {
    const started = configuration.length > 0 ? [`They started with different settings: ${startText(configuration)}.`] : [];
    const place = `${oneLine(runName(first))}:${seq.a ?? "–"} and ${oneLine(runName(second))}:${seq.b ?? "–"}`;
    const until = `The same until then: ${plural(same, "event")} of all lanes (${plural(probes, "digest")} compared).`;
    const text =
      divergence.seq === 0 && started.length > 0
        ? `Nothing else differs: ${until.replace(" until then", "")}`
        : `turn ${divergence.turn ?? 0}, class ${divergence.class}: ${divergence.what} ${until}`;
    const diff = divergence.diff.replace(/^--- recorded /m, "--- first ").replace(/^\+\+\+ replayed /m, "+++ second ");
    const rows = [...[...started, text].map((line) => hanging(line, pageWidth() - 4)), printable(diff.trimEnd())]
      .flatMap((part) => part.split("\n"))
      .flatMap((line) => folded(line, pageWidth() - 4).map((row) => `\n    ${row}`));
    process.stdout.write(`${pc.yellow("≠")} ${hanging(place, pageWidth() - 2)}${rows.join("")}\n`);
  }
  return divergence ? 1 : 0;
}

/** Keys that are named; a prompt that was rewritten has few, another set of tools many. */
const mostKeys = 8;
const longestValue = 40;

function startText(differences: readonly StartDifference[]): string {
  const shown = differences.slice(0, mostKeys).map((difference) => {
    const { key, a, b } = difference;
    if (a === undefined) return `${key} (only the second has it)`;
    if (b === undefined) return `${key} (only the first has it)`;
    const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
    return Math.max(left.length, right.length) > longestValue ? key : `${key} (${left}, then ${right})`;
  });
  const more = differences.length - shown.length;
  return oneLine(`${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`);
}
