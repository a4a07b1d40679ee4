import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Measured } from "../measure.ts";
import { measureReplay } from "./measure-replay.ts";
import { median } from "../median.ts";
import { recordRun, type RecordedRun } from "../record-run.ts";

const steps = 1000;
const runs = 5;
const kib = 1024;

/** The loop's own cost per step, early and late; how fast its trace replays; how large the trace is. */
export async function measureLoop(folder: string, say: (line: string) => void): Promise<Measured[]> {
  say(`loop: ${steps} steps to warm up`);
  await recordRun(join(folder, "warm-up"), { steps, output: () => "" });
  const measured: RecordedRun[] = [];
  for (let i = 1; i <= runs; i++) {
    say(`loop: run ${i} of ${runs}, ${steps} steps`);
    measured.push(await recordRun(join(folder, `loop-${i}`), { steps, output: () => "" }));
  }
  const perStep = measured.map(({ totalCpuMs }) => totalCpuMs / steps);
  const early = median(measured.map(({ cpuMs }) => median(cpuMs.slice(10, 110))));
  const late = median(measured.map(({ cpuMs }) => median(cpuMs.slice(900, 1000))));
  return [
    {
      what: "CPU of a step of the loop, recorder on",
      value: median(perStep),
      unit: "ms",
      limit: { at: "most", value: 1 },
      note: `${runs} runs of ${steps} steps, the dearest ${Math.max(...perStep).toFixed(2)} ms a step`,
    },
    {
      what: "steps 900-1,000 against steps 10-110",
      value: late / early,
      unit: "×",
      limit: { at: "most", value: 1.5 },
      note: `median step ${late.toFixed(3)} ms of CPU against ${early.toFixed(3)} ms`,
    },
    ...(await measureReplay(folder, join(folder, "loop-1"), steps, say)),
    await traceSize(join(folder, "size-empty"), "trace of steps that say nothing", () => ""),
    await traceSize(join(folder, "size-mixed"), "trace of steps that say 1 to 20 KiB", mixedOutput),
  ];
}

/** Every tenth output is too large for its line, every fourth one was seen before. */
function mixedOutput(step: number): string {
  const distinct = step % 4 === 3 ? step - 1 : step;
  return `output ${distinct}: `.padEnd(distinct % 10 === 0 ? 20 * kib : kib, `${distinct} and so on, `);
}

async function traceSize(folder: string, what: string, output: (step: number) => string): Promise<Measured> {
  const seen = new Set<string>();
  let repeated = 0;
  const { turns, contentBytes } = await recordRun(folder, {
    steps,
    output(step) {
      const text = output(step);
      if (seen.has(text)) repeated += Buffer.byteLength(text);
      seen.add(text);
      return text;
    },
  });
  const unique = contentBytes - repeated;
  return {
    what,
    value: (await bytesIn(folder)) / turns,
    unit: "bytes/turn",
    limit: { at: "most", value: (1.3 * unique) / turns + 2 * kib },
    note: `ceiling: 1.3 × the unique content, ${Math.round(unique / turns)} bytes a turn, and 2 KiB`,
  };
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
