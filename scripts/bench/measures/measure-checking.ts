import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import type { Measured } from "../measure.ts";
import { median } from "../median.ts";
import { recordRun } from "../record-run.ts";

/** Most of its bytes are in runs of 10 and of 100 turns, as in a job's folder; no blobs. */
const corpus = [
  { runs: 400, steps: 10 },
  { runs: 40, steps: 100 },
  { runs: 2, steps: 1_000 },
];
const rounds = 7;

/** L0 over many runs against `JSON.parse` of their lines. Both sides open and read every file; they take turns, and CPU is compared with CPU, since that is what a busy machine changes least. */
export async function measureChecking(folder: string, say: (line: string) => void): Promise<Measured> {
  say("traces: a corpus to check");
  const runs = await writeRuns(folder);
  const took: { read: number; parse: number; check: number }[] = [];
  let bytes = 0;
  let seconds = 0;
  for (let i = 0; i <= rounds; i++) {
    say(`traces: check ${i} of ${rounds}`);
    let [read, parse] = [0, 0];
    bytes = 0;
    for (const run of runs) {
      const began = cpuNow();
      const text = readFileSync(join(run, "trace.jsonl"), "utf8");
      const opened = cpuNow();
      for (const line of text.trimEnd().split("\n")) JSON.parse(line);
      parse += cpuNow() - opened;
      read += opened - began;
      bytes += Buffer.byteLength(text);
    }
    const [began, clock] = [cpuNow(), performance.now()];
    for (const run of runs) await verifyTrace(run);
    took.push({ read, parse, check: cpuNow() - began });
    seconds = (performance.now() - clock) / 1e3;
  }
  const ratios = took.map(({ read, parse, check }) => ({ both: (read + parse) / check, alone: parse / check }));
  const [cold, ...warm] = ratios;
  const [parse, check] = [median(took.slice(1).map((one) => one.read + one.parse)), median(took.slice(1).map((one) => one.check))];
  return {
    what: "L0 over a corpus against JSON.parse of the same files",
    value: median(warm.map(({ both }) => both)),
    unit: "×",
    limit: { at: "least", value: 0.2 },
    note:
      `${runs.length} runs, ${(bytes / 1024 ** 2).toFixed(0)} MiB: ${check.toFixed(0)} ms of CPU against ${parse.toFixed(0)} ms, both with reading, medians of ${rounds}; ` +
      `${median(warm.map(({ alone }) => alone)).toFixed(2)} × against parsing alone, ${(cold?.both ?? 0).toFixed(2)} × in the first round; ${seconds.toFixed(1)} s by the clock in the last`,
  };
}

async function writeRuns(folder: string): Promise<string[]> {
  const made: string[] = [];
  for (const { runs, steps } of corpus)
    for (let i = 0; i < runs; i++) {
      const run = join(folder, `checked-${steps}-${i}`);
      await recordRun(run, { steps, output: (step) => said(i, step) });
      made.push(run);
    }
  return made;
}

/**
 * About a kilobyte, now and then with a shell's variables in quotes, which look like a reference. All ASCII: any other letter makes the text of a whole file
 * take twice the memory, and its parsing slower than that of its lines.
 */
function said(run: number, step: number): string {
  return `${step % 5 === 0 ? 'echo "$HOME" "$PATH"\n' : ""}${`run ${run}, line ${step} of the output\n`.repeat(35)}`;
}

/** Milliseconds of CPU of this process. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
