import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { replayTrace } from "../../../traces/replay/replay-trace.ts";
import type { Measured } from "../measure.ts";
import { median } from "../median.ts";
import { recordRun } from "../record-run.ts";

const rounds = 5;
const [fewSteps, manySteps] = [500, 2_000];

/** How fast a trace replays, and whether a step costs more in a longer one. `recorded` is a run of `steps` steps. */
export async function measureReplay(folder: string, recorded: string, steps: number, say: (line: string) => void): Promise<Measured[]> {
  return [await speed(recorded, steps, say), await growth(folder, say)];
}

async function speed(recorded: string, steps: number, say: (line: string) => void): Promise<Measured> {
  const took: Took[] = [];
  for (let i = 1; i <= rounds; i++) {
    say(`replay: ${i} of ${rounds}`);
    took.push(await replay(recorded));
  }
  return {
    what: "L1 replay, reading the trace included",
    value: median(took.map(({ ms }) => (steps / ms) * 1e3)),
    unit: "steps/s",
    limit: { at: "least", value: 1000 },
    note: `by the clock, a trace of ${steps} steps, median of ${rounds}; ${Math.round(median(took.map(({ cpuMs }) => (steps / cpuMs) * 1e3)))} per second of CPU`,
  };
}

/** CPU a step, the two sizes taking turns, so that what else the machine does falls on both; as many steps of each in a round. */
async function growth(folder: string, say: (line: string) => void): Promise<Measured> {
  const [few, many] = [join(folder, "replay-few"), join(folder, "replay-many")];
  await recordRun(few, { steps: fewSteps, output: () => "" });
  await recordRun(many, { steps: manySteps, output: () => "" });
  const [fewMs, manyMs]: [number[], number[]] = [[], []];
  for (let i = 0; i <= rounds; i++) {
    say(`replay: growth ${i} of ${rounds}`);
    let ms = 0;
    for (let done = 0; done < manySteps; done += fewSteps) ms += (await replay(few)).cpuMs;
    const { cpuMs } = await replay(many);
    if (i === 0) continue; // warms the code up
    fewMs.push(ms / manySteps);
    manyMs.push(cpuMs / manySteps);
  }
  return {
    what: "L1: 2,000 steps against 500, time per step",
    value: median(manyMs) / median(fewMs),
    unit: "×",
    limit: { at: "most", value: 1.5 },
    note: `${median(manyMs).toFixed(3)} ms of CPU a step against ${median(fewMs).toFixed(3)} ms, medians of ${rounds}`,
  };
}

interface Took {
  readonly ms: number;
  readonly cpuMs: number;
}

async function replay(folder: string): Promise<Took> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const { exact } = await replayTrace(await loadTrace(folder), { assemble: async () => [] });
  const { user, system } = process.cpuUsage(before);
  if (!exact) throw new Error(`The trace in ${folder} did not replay exactly, so its speed means nothing.`);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1e3 };
}
