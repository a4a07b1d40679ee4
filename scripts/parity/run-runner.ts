import { mkdir, readFile, rm } from "node:fs/promises";
import { execa } from "execa";
import type { CellResult } from "./agreement.ts";

/** How a runner is started for one cell, and where it writes what it found. */
export interface RunnerCall {
  readonly words: readonly [command: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of its runs; rebuilt. */
  readonly work: string;
  /** The file of its result. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/**
 * Runs another runner once; answers the text of its result, or its last words as a cell where it left none.
 * @throws the signal's reason when it was aborted
 */
export async function runRunner({ words: [command, ...args], env, work, file, signal }: RunnerCall): Promise<string | CellResult> {
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const ran = await execa(command, args, { reject: false, env, all: true, cancelSignal: signal, forceKillAfterDelay: 60_000 });
  signal.throwIfAborted();
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text ?? { type: "not-run", why: ran.all.trim().split("\n").slice(-3).join(" ") };
}
