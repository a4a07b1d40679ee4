import pc from "picocolors";
import { ConfigError } from "../harness/errors.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine, printable } from "../reports/terminal/printable.ts";
import { bisect } from "../traces/replay/bisect.ts";
import { loadRecording } from "../traces/replay/load-recording.ts";
import { findRuns } from "./find-runs.ts";
import { runName } from "./run-name.ts";
import { sayTorn } from "./say-torn.ts";

/** Says where two runs part; answers the exit code: 0 when they do not, 1 when they do. */
export async function bisectRuns(folders: readonly string[], o: { json?: boolean; asked?: string }): Promise<number> {
  const runs = (await Promise.all(folders.map(findRuns))).flat();
  const [first, second] = runs;
  if (first === undefined || second === undefined || runs.length > 2)
    throw new ConfigError(
      `${o.asked ?? "--bisect"} needs two runs, and ${folders.join(" ")} holds ${runs.length}; name the folders of two attempts.`,
    );
  const a = await loadRecording(first, { imported: true });
  const b = await loadRecording(second, { imported: true });
  const found = bisect(a, b);
  if (!o.json) for (const { folder, torn } of [a, b]) sayTorn(folder, torn);
  const { divergence, seq, same, probes, identical } = found;
  if (o.json)
    process.stdout.write(
      `${jsonLine({ type: "bisect", a: runName(first), b: runName(second), ...found, divergence: divergence ?? null, torn: { a: a.torn, b: b.torn } })}\n`,
    );
  else if (!divergence)
    process.stdout.write(
      `${pc.green("=")} ${identical ? `the same run, ${same} events` : `the same in all ${same} events but for times`}\n`,
    );
  else {
    const place = `${oneLine(runName(first))}:${seq.a ?? "–"} and ${oneLine(runName(second))}:${seq.b ?? "–"}`;
    const text = `turn ${divergence.turn ?? 0}, class ${divergence.class}: ${divergence.what} The first ${same} events are the same (${probes} digests compared).`;
    const diff = divergence.diff.replace(/^--- recorded /m, "--- first ").replace(/^\+\+\+ replayed /m, "+++ second ");
    process.stdout.write(`${pc.yellow("≠")} ${place}\n    ${printable(`${text}\n${diff.trimEnd()}`).replaceAll("\n", "\n    ")}\n`);
  }
  return divergence ? 1 : 0;
}
