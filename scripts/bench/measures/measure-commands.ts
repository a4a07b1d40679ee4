import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Measured } from "../measure.ts";
import { median } from "../median.ts";

const rounds = 25;

/** How long the two answers take that need no work, against a Node that does nothing. The three take turns, so that a busy moment hits all alike. */
export function measureCommands(root: string, say: (line: string) => void): Measured[] {
  const main = join(root, "dist", "cli", "main.js");
  const nothing = { args: ["-e", "0"], times: [] as number[] };
  const version = { args: [main, "--version"], times: [] as number[] };
  const help = { args: [main, "--help"], times: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    if (round % 5 === 0) say(`commands: round ${round} of ${rounds}`);
    for (const { args, times } of [nothing, version, help]) {
      const ms = timeProcess(args);
      if (round > 0) times.push(ms); // the first round fills the file cache
    }
  }
  const base = median(nothing.times);
  const ratio = (what: string, { times }: typeof help, most: number): Measured => {
    const ms = median(times);
    const note = `${ms.toFixed(0)} ms against ${base.toFixed(0)} ms for node -e 0, medians of ${rounds}`;
    return { what, value: ms / base, unit: "×", limit: { at: "most", value: most }, note };
  };
  return [ratio("forge --version against node -e 0", version, 1.6), ratio("forge --help against node -e 0", help, 2)];
}

function timeProcess(args: readonly string[]): number {
  const before = performance.now();
  const { status, error } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (error || status !== 0) throw new Error(`node ${args.join(" ")} failed: ${error?.message ?? `exit code ${status}`}`);
  return performance.now() - before;
}
