import { createReplayedRuns } from "../../reports/terminal/replayed-runs.ts";
import { plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { askCorpus } from "../../assembly/asking.ts";
import type { JudgeOptions } from "../../traces/replay/corpus/judge-run.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import type { ReplayFlags } from "./options.ts";
import { createProgress } from "../shared/progress.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";

/** What came of replaying runs: how many of each verdict, the gravest exit code, and a text for the terminal. */
interface Replayed {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly exitCode: number;
  readonly text: string;
}

/** L0 or L1 over every run; with `json` a line each as it comes. */
export async function replayed(folders: readonly string[], o: ReplayFlags & Omit<JudgeOptions, "trust">): Promise<Replayed> {
  let [exitCode, total] = [0, 0];
  const runs = await findAllRuns(folders);
  const progress = createProgress((done) => `${done} of ${plural(runs.length, "run")} replayed`);
  const { verify, current, trust } = o;
  const seen = createReplayedRuns({ all: o.all === true, current: current === true });
  for await (const { answer } of askCorpus(runs, "judge", { verify, current, trust })) {
    progress.step();
    total++;
    exitCode = Math.max(exitCode, answer.exitCode);
    const named = { ...answer, run: runName(answer.run), text: nameRuns(answer.text) };
    seen.add(named);
    if (o.json) process.stdout.write(`${jsonLine({ type: "run", ...named })}\n`);
  }
  progress.end();
  return { counts: seen.counts, total, exitCode, text: seen.describe() };
}

/** Carries out `forge replay`; answers the exit code: the gravest of all. */
export async function replay(folders: readonly string[], o: ReplayFlags & Omit<JudgeOptions, "trust">): Promise<number> {
  const { counts, total, exitCode, text } = await replayed(folders, o);
  process.stdout.write(o.json ? `${jsonLine({ type: "summary", runs: total, ...Object.fromEntries(counts) })}\n` : `${text}\n`);
  return exitCode;
}
