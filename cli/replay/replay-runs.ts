import pc from "picocolors";
import { plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { askCorpus } from "../../assembly/asking.ts";
import type { JudgeOptions, RunAnswer } from "../../traces/replay/corpus/judge-run.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import type { ReplayFlags } from "./options.ts";
import { createProgress } from "../shared/progress.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";

/** What came of replaying runs: how many of each verdict, and the gravest exit code. */
interface Replayed {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly exitCode: number;
}

/** L0 or L1 over every run, each shown unless it is exact and `brief` is asked for. */
export async function replayed(folders: readonly string[], o: ReplayFlags & Omit<JudgeOptions, "trust">): Promise<Replayed> {
  const counts = new Map<string, number>();
  let [exitCode, total] = [0, 0];
  const runs = await findAllRuns(folders);
  const progress = createProgress((done) => `${done} of ${plural(runs.length, "run")} replayed`);
  const { verify, current, trust } = o;
  for await (const { answer } of askCorpus(runs, "judge", { verify, current, trust })) {
    if (o.brief) progress.step();
    total++;
    counts.set(answer.verdict, (counts.get(answer.verdict) ?? 0) + 1);
    exitCode = Math.max(exitCode, answer.exitCode);
    if (o.brief && answer.exitCode === 0) continue;
    progress.end();
    show({ ...answer, run: runName(answer.run), text: nameRuns(answer.text) }, o.json === true);
  }
  progress.end();
  return { counts, total, exitCode };
}

/** Carries out `forge replay`; answers the exit code: the gravest of all. */
export async function replay(folders: readonly string[], o: ReplayFlags & Omit<JudgeOptions, "trust">): Promise<number> {
  const { counts, total, exitCode } = await replayed(folders, o);
  const summary = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  if (o.json) process.stdout.write(`${jsonLine({ type: "summary", runs: total, ...Object.fromEntries(counts) })}\n`);
  else if (total > 1 || o.brief) process.stdout.write(`${plural(total, "run")}: ${summary}\n`);
  return exitCode;
}

/** Only what begins a line is ours: a recorded text of several lines stands to the right of it. */
function show(answer: RunAnswer, json: boolean): void {
  if (json) {
    process.stdout.write(`${jsonLine({ type: "run", ...answer })}\n`);
    return;
  }
  const good = answer.exitCode === 0;
  const mark = good ? pc.green("✓") : pc.red("✗");
  (good ? process.stdout : process.stderr).write(
    `${mark} ${oneLine(answer.run)}: ${printable(answer.text.trimEnd()).replaceAll("\n", "\n    ")}\n`,
  );
}
