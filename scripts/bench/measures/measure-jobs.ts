import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Measure } from "../measure.ts";
import { measureResume } from "./measure-resume.ts";

const mib = 1024 * 1024;

/** Resuming a job of 5,000 finished trials, and the memory of a job of 200 trials, and of one of 800 against one of 400. */
export async function measureJobs(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  return [...(await measureResume(root, folder, say)), ...(await peakMemory(root, folder, say))];
}

/** Of the whole command, by the kernel's own high-water mark. */
async function peakMemory(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  if (process.platform !== "linux")
    return [{ what: "peak memory of a job of 200 trials", skipped: "the high-water mark is read from /proc" }];
  const peaks: number[] = [];
  for (const each of [40, 80, 160]) {
    say(`jobs: memory of ${each * 5} trials`);
    peaks.push(await peakOf(root, folder, each));
  }
  // Smaller jobs say nothing of growth: until some hundred trials the heap grows because nothing has asked for its garbage yet.
  const [peak = 0, more = 0, twice = 0] = peaks;
  const note = `${peaks.map((one) => (one / mib).toFixed(0)).join(", ")} MiB with 200, 400 and 800 trials`;
  return [
    { what: "peak memory of a job of 200 trials", value: Math.round(peak / mib), unit: "MiB", limit: { at: "most", value: 250 }, note },
    { what: "that of 800 trials against that of 400", value: twice / more, unit: "×", limit: { at: "most", value: 1.1 }, note },
  ];
}

async function peakOf(root: string, folder: string, each: number): Promise<number> {
  const args = ["bench", "demo", "--filter", "greet", "--agent", "oracle", "--sandbox", "local", "--repeats", String(each * 5)];
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args, "--out", join(folder, `memory-${each}`)], {
    stdio: "ignore",
  });
  let ended = false;
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve)).finally(() => (ended = true));
  let peak = 0;
  while (!ended) {
    const status = await readFile(`/proc/${child.pid}/status`, "latin1").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
    await wait(100);
  }
  if ((await code) !== 0) throw new Error(`The bench of ${each * 5} trials ended with ${await code}.`);
  return peak;
}
