import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compare } from "../../../evals/compare/compare.ts";
import type { Measure } from "../measure.ts";
import { median } from "../median.ts";
import { largeJob, writeLargeJob, type JobSize } from "../viewer/write-large-job.ts";

const rounds = 3;
/** 10⁵ trials in all, and as many of each configuration. */
const least: JobSize = { tasks: 5_000, configurations: 4, repeats: 5 };
const strict: JobSize = { tasks: 20_000, configurations: 4, repeats: 5 };
/** A report of 1,000 trials. */
const reported: JobSize = { tasks: 50, configurations: 4, repeats: 5 };
const mib = 1024 * 1024;
/** Tells what the process took when it ends. */
const tells = `--import=data:text/javascript,process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();process.stderr.write("\\n"+JSON.stringify({cpuMs:(u+s)/1000,bytes:m*1024}))})`;

/** Comparing 10⁵ trials, and a report of 1,000: in CPU time, which a busy machine widens least, and in memory. */
export async function measureCompare(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const [size, name, limits] of [
    [least, "10⁵ trials of 4 configurations", { time: atMost(3), memory: atMost(286) }],
    [strict, "10⁵ trials of each of 4 configurations", {}],
  ] as const) {
    say(`compare: ${name}, in memory`);
    measures.push(inMemory(size, name, limits));
    say(`compare: ${name}, the whole command`);
    const path = join(folder, `compare-${size.tasks}.csv`);
    await writeFile(path, csvOf(size));
    const { cpuMs, wallMs, bytes } = took(root, folder, ["compare", path]);
    measures.push(
      {
        what: `\`forge compare\` of a CSV of ${name}`,
        value: cpuMs / 1000,
        unit: "s",
        ...("time" in limits && { limit: limits.time }),
        note: `CPU of the whole command, median of ${rounds}; ${(wallMs / 1000).toFixed(1)} s by the clock`,
      },
      {
        what: "its peak memory",
        value: Math.round(bytes / mib),
        unit: "MiB",
        ...("memory" in limits && { limit: limits.memory }),
        note: `${(bytes / 1e6).toFixed(0)} MB`,
      },
    );
  }
  const job = join(folder, "reported");
  const trials = await writeLargeJob(job, reported);
  say(`compare: a report of ${trials} trials`);
  const { cpuMs, wallMs, bytes } = took(root, folder, ["report", job, "--html", join(folder, "report.html")]);
  measures.push({
    what: `\`forge report --html\` of ${trials.toLocaleString("en")} trials`,
    value: cpuMs / 1000,
    unit: "s",
    limit: { at: "most", value: 3 },
    note: `CPU of the whole command, median of ${rounds}; ${(wallMs / 1000).toFixed(1)} s by the clock, ${Math.round(bytes / mib)} MiB`,
  });
  return measures;
}

const atMost = (value: number) => ({ at: "most" as const, value });

function inMemory(
  size: JobSize,
  name: string,
  limits: { readonly time?: ReturnType<typeof atMost>; readonly memory?: ReturnType<typeof atMost> },
): Measure {
  const job = largeJob(size);
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    compare([job]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return {
    what: `comparing ${name}, records at hand`,
    value: median(times),
    unit: "s",
    ...(limits.time && { limit: limits.time }),
    note: `CPU of the step alone, six pairs, median of ${rounds}`,
  };
}

function csvOf(size: JobSize): string {
  const rows = largeJob(size).records.map(({ task, configuration, repeat, score }) => `${task},${configuration},${repeat},${score}\n`);
  return `task,arm,repeat,score\n${rows.join("")}`;
}

function took(root: string, cwd: string, args: string[]): { cpuMs: number; wallMs: number; bytes: number } {
  const all = Array.from({ length: rounds }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [tells, join(root, "dist", "cli", "main.js"), ...args], {
      cwd,
      encoding: "utf8",
      maxBuffer: 256 * mib,
    });
    if (status !== 0) throw new Error(`forge ${args.join(" ")} ended with ${status}: ${stderr}`);
    const { cpuMs, bytes } = JSON.parse(stderr.slice(stderr.lastIndexOf("\n"))) as { cpuMs: number; bytes: number }; // as \`tells\` writes it
    return { cpuMs, bytes, wallMs: performance.now() - began };
  });
  return {
    cpuMs: median(all.map((one) => one.cpuMs)),
    wallMs: median(all.map((one) => one.wallMs)),
    bytes: Math.max(...all.map((one) => one.bytes)),
  };
}
