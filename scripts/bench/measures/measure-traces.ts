import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openRunIndex } from "../../../traces/index/run-index.ts";
import type { Measure, Measured } from "../measure.ts";
import { measureChecking } from "./measure-checking.ts";
import { median } from "../median.ts";
import { recordRun } from "../record-run.ts";
import { timedForge as forge } from "../timed-forge.ts";

const manyRuns = 10_000;
const fewRuns = 1_000;
const turns = 10;

/** Reading many traces: checking, listing, indexing, and asking what another configuration would have done. */
export async function measureTraces(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  const corpus = join(folder, "corpus");
  say(`traces: ${manyRuns} runs of ${turns} turns`);
  const eventsOfOne = await writeCorpus(corpus);
  const list = listing(root, corpus, say);
  return [await measureChecking(folder, say), ...list, await indexSpeed(folder, corpus, eventsOfOne, say), ...radius(root, corpus, say)];
}

/** Copies of one run, so that what is measured is the reading; answers its number of events. */
async function writeCorpus(corpus: string): Promise<number> {
  const runs = join(corpus, ".forge", "runs");
  await mkdir(runs, { recursive: true });
  const first = join(runs, "run-0");
  await recordRun(first, { steps: turns, output: (step) => `line ${step} of the output\n`.repeat(20) });
  const past = new Date(Date.now() - 60_000);
  for (let i = 1; i < manyRuns; i++) await cp(first, join(runs, `run-${i}`), { recursive: true });
  for (let i = 0; i < manyRuns; i++) await utimes(join(runs, `run-${i}`), past, past);
  await writeFile(join(corpus, "other.yaml"), "extends: bare\nmiddleware: [loop-detection]\n");
  return (await readFile(join(first, "trace.jsonl"), "utf8")).trim().split("\n").length;
}

function listing(root: string, corpus: string, say: (line: string) => void): Measured[] {
  const index = join(corpus, ".forge", "index.db");
  const cold: number[] = [];
  const warm: number[] = [];
  for (let i = 1; i <= 3; i++) {
    say(`traces: list ${i} of 3`);
    forge(root, corpus, ["traces", "list"]); // makes the index
    warm.push(forge(root, corpus, ["traces", "list"]).ms);
    spawnSync("rm", ["-rf", index, `${index}-wal`, `${index}-shm`]);
    cold.push(forge(root, corpus, ["traces", "list"]).ms);
    spawnSync("rm", ["-rf", index, `${index}-wal`, `${index}-shm`]);
  }
  const row = (what: string, times: readonly number[], most: number): Measured => ({
    what: `forge traces list of ${manyRuns} runs, ${what}`,
    value: median(times) / 1e3,
    unit: "s",
    limit: { at: "most", value: most },
    note: `whole command, median of ${times.length}`,
  });
  return [row("with the index", warm, 0.3), row("without", cold, 5)];
}

async function indexSpeed(folder: string, corpus: string, eventsOfOne: number, say: (line: string) => void): Promise<Measure> {
  const what = "events a second into a new index";
  say("traces: index");
  const path = join(folder, "cold.db");
  try {
    const index = await openRunIndex(path);
    const began = performance.now();
    for (let i = 0; i < fewRuns; i++) await index.update(join(corpus, ".forge", "runs", `run-${i}`));
    const seconds = (performance.now() - began) / 1e3;
    index.close();
    const events = fewRuns * eventsOfOne;
    return {
      what,
      value: events / seconds,
      unit: "events/s",
      limit: { at: "least", value: 40_000 },
      note: `${events} events in ${seconds.toFixed(2)} s`,
    };
  } catch (error) {
    return { what, skipped: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(path, { force: true });
  }
}

/** `forge replay dry` over all runs and over a tenth of them. */
function radius(root: string, corpus: string, say: (line: string) => void): Measured[] {
  const ask = (runs: number, folders: readonly string[]): { ms: number; mib: number } => {
    say(`traces: blast radius over ${runs} runs`);
    return forge(root, corpus, ["replay", "dry", "--config", "other.yaml", ...folders]);
  };
  const few = ask(
    fewRuns,
    Array.from({ length: fewRuns }, (_, i) => `.forge/runs/run-${i}`),
  );
  const many = ask(manyRuns, [".forge/runs"]);
  const row = (runs: number, ms: number, most: number): Measured => ({
    what: `blast radius over ${runs} runs of ${turns} turns`,
    value: ms / 1e3,
    unit: "s",
    limit: { at: "most", value: most },
    note: `whole command, ${(ms / runs).toFixed(1)} ms a run`,
  });
  return [
    row(fewRuns, few.ms, 5),
    row(manyRuns, many.ms, 60),
    {
      what: `its peak memory over ${manyRuns} against ${fewRuns} runs`,
      value: many.mib / few.mib,
      unit: "×",
      limit: { at: "most", value: 1.25 },
      note: `${many.mib.toFixed(0)} MiB against ${few.mib.toFixed(0)} MiB`,
    },
  ];
}
