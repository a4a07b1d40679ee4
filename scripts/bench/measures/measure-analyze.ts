import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../../evals/archive/open-archive.ts";
import type { Measure, Measured } from "../measure.ts";
import { median } from "../median.ts";
import { timedForge } from "../timed-forge.ts";
import { writeFailures } from "../write-failures.ts";

const turns = 10;
/** Each has the runs of those before. */
const sizes = [1_000, 3_000, 10_000] as const;
/**
 * Old space that an analysis is given, in MB: peaks are compared in a bounded heap, or most of them would be garbage. V8 lets old space grow to four times what
 * was alive after its last collection, as long as collecting takes next to no time (--trace-gc over 3,000 runs: 21.8 MB alive, collected again at 80.0 MB,
 * mutator utilization .997). Over 10,000 runs that makes peaks of 265 to 292 MiB where about 31 MB are alive once all of them have been looked at (a forced
 * collection says so), and 43 MB when the result is written. In 48 MB the 10,000 do not fit.
 */
const oldSpace = 64;
const archive = "2026-11-22-three-configurations.tar.gz";

/** `forge analyze`: rules and contrast over many runs, and the whole way from an archive of a job to its issues. */
export async function measureAnalyze(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  const corpus = join(folder, "failures");
  const found: { ms: number; mib: number }[] = [];
  for (const [i, runs] of sizes.entries()) {
    say(`analyze: ${runs} runs of ${turns} turns`);
    await writeFailures(join(corpus, String(i)), { from: sizes[i - 1] ?? 0, to: runs, turns });
    found.push(timedForge(root, folder, ["analyze", corpus, "--store", join(folder, `issues-${i}`)], [`--max-old-space-size=${oldSpace}`]));
  }
  await rm(corpus, { recursive: true });
  say(`analyze: ${archive}`);
  const packed = join(root, "docs", "results", archive);
  const unpacked = join(folder, "three-configurations");
  await openArchive(packed, unpacked, { maxBytes: 1e9 });
  const thrice = (source: string, name: string) =>
    [1, 2, 3].map((i) => timedForge(root, folder, ["analyze", source, "--store", join(folder, `${name}-${i}`, "issues")]));
  const jobs = thrice(unpacked, "job");
  const archives = thrice(packed, "archive");
  const [few, some, many] = found;
  if (!few || !some || !many) return [];
  const row = (runs: number, ms: number, most: number): Measured => ({
    what: `analyzing ${runs} runs of ${turns} turns`,
    value: ms / 1e3,
    unit: "s",
    limit: { at: "most", value: most },
    note: `rules and contrast, whole command, ${(ms / runs).toFixed(1)} ms a run`,
  });
  return [
    row(1_000, few.ms, 10),
    row(10_000, many.ms, 120),
    {
      what: "its peak memory over 10000 against 3000 runs",
      value: many.mib / some.mib,
      unit: "×",
      limit: { at: "most", value: 1.25 },
      note: `${found.map(({ mib }) => mib.toFixed(0)).join(", ")} MiB over ${sizes.join(", ")} runs, in a heap of ${oldSpace} MB`,
    },
    {
      what: "analyzing the three-configurations job",
      value: median(jobs.map(({ ms }) => ms)) / 1e3,
      unit: "s",
      limit: { at: "most", value: 5 },
      note: `288 runs, whole command, median of ${jobs.length}; ${jobs[0]?.mib.toFixed(0)} MiB`,
    },
    {
      what: "the same from its archive",
      value: median(archives.map(({ ms }) => ms)) / 1e3,
      unit: "s",
      note: "unpacked and removed again: some 1,700 files in 900 folders, so the disk decides",
    },
  ];
}
