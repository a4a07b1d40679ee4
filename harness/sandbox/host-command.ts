import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Runs a program of this machine that answers by its exit code alone; rejects with what it said when it fails. For what is done for every sandbox: the
 * streams of `execa` leave 200 KB behind each time, which a job of many trials piles up faster than it is collected.
 */
export async function hostCommand(program: string, args: readonly string[]): Promise<void> {
  await run(program, [...args], { maxBuffer: 1024 * 1024 });
}
