import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { z } from "zod";
import type { CellResult } from "./agreement.ts";
import type { EndState } from "./end-states.ts";
import { runRunner } from "./run-runner.ts";
import { trialName } from "./sweep-runners.ts";

/** What of a trial's `results.json` is read. `is_resolved` is null where its runner came to no verdict, which it counts as not resolved. */
const resultSchema = z.looseObject({ is_resolved: z.boolean().nullable(), failure_mode: z.string() });

/** It would ask a server for prices of models otherwise, and wait for the answer. */
const quiet = { LITELLM_LOCAL_MODEL_COST_MAP: "True" };

/** Version of the package that a `tb` command belongs to, or undefined where there is none that works. */
export async function terminalBenchVersion(tb: string): Promise<string | undefined> {
  const { stdout: path, failed } = await execa("sh", ["-c", 'command -v "$0"', tb], { reject: false });
  if (failed) return undefined;
  // The command has no word for its version; the interpreter in its first line knows the package.
  const interpreter = /^#!\s*(\S+)/.exec(await readFile(path.trim(), "utf8").catch(() => ""))?.[1];
  if (interpreter === undefined) return undefined;
  const ask = "import importlib.metadata as m; print(m.version('terminal-bench'))";
  const asked = await execa(interpreter, ["-c", ask], { reject: false });
  return asked.failed ? undefined : asked.stdout.trim();
}

/**
 * One cell by `tb run`. `folder` must lie alone in its parent, which is the runner's data set. `work` is the folder of its runs; rebuilt. Its images
 * stay for the next cell: see `sweepRunners`. Its own cleaning up would prune the builder's cache of the machine.
 */
export async function runTerminalBench(
  tb: string,
  folder: string,
  agent: EndState["agent"],
  work: string,
  signal: AbortSignal,
): Promise<CellResult> {
  const run = trialName(Math.random().toString(36).slice(2, 10));
  const task = basename(folder);
  const what = ["--dataset-path", dirname(folder), "--task-id", task, "--agent", agent, "--output-path", work, "--run-id", run];
  const file = join(work, run, task, `${task}.1-of-1.${run}`, "results.json");
  const how = ["--no-cleanup", "--n-concurrent", "1", "--no-upload-results"];
  const text = await runRunner({ words: [tb, "run", ...what, ...how], env: quiet, work, file, signal });
  if (typeof text !== "string") return text;
  const { is_resolved: resolved, failure_mode: failure } = resultSchema.parse(JSON.parse(text));
  const note = ["unset", "none"].includes(failure) ? {} : { note: failure };
  return { type: "judged", rewards: resolved === null ? null : { reward: resolved ? 1 : 0 }, ...note };
}
