import { execa } from "execa";
import type { Task } from "../../tasks/task.ts";

/** What a naive runner made of a trial. `score` null: it found none, and such a trial falls out of the count. */
export interface NaiveResult {
  readonly score: number | null;
  readonly why: string;
  /** Megabytes that the agent wrote into its container's layer. */
  readonly writtenMb: number;
}

const callMs = 8_000;

/**
 * A small, honest model of a runner that trusts its agents: one container for agent and verifier, processes left alive, login shells with whatever
 * the profile files say, the tests copied to wherever /tests leads, `reward.json` before `reward.txt`, and with `parse` the word of what was printed.
 * Only the limits are better than a naive runner's, so that an attack harms nobody here: 128 processes, and the task's memory.
 */
export async function runNaively(task: Task, image: string, agent: string, o: { parse?: boolean } = {}): Promise<NaiveResult> {
  const limits = ["--network", "none", "--pids-limit", "128", "--memory", `${task.environment.memoryMb ?? 256}m`, "--ulimit", "core=0"];
  const started = await execa("docker", ["run", "-d", "--label", "forge.naive=1", ...limits, "--entrypoint", "sh", image, "-c", keeper]);
  const container = started.stdout.trim();
  const inside = (command: string) =>
    execa("docker", ["exec", container, "bash", "-lc", command], { reject: false, timeout: callMs, all: true, maxBuffer: 1 << 20 });
  try {
    const worked = await inside(agent);
    const writtenMb = await written(container);
    await execa("docker", ["exec", container, "mkdir", "-p", "/tests"], { reject: false, timeout: callMs });
    const put = await execa("docker", ["cp", `${task.verifier.testsFolder}/.`, `${container}:/tests`], { reject: false, timeout: callMs });
    if (put.failed) return { score: null, why: `the tests could not be copied: ${put.stderr.slice(0, 120)}`, writtenMb };
    const ran = await inside("chmod +x /tests/test.sh; /tests/test.sh");
    if (o.parse === true) return { score: /\b\d+ passed\b/.test(ran.all ?? "") ? 1 : 0, why: "by what was printed", writtenMb };
    for (const name of ["reward.json", "reward.txt"]) {
      const read = await inside(`cat /logs/verifier/${name}`);
      if (read.timedOut || read.isMaxBuffer) return { score: null, why: `${name} was read for ever`, writtenMb };
      if (read.exitCode !== 0) continue;
      const value = name === "reward.json" ? numberIn(read.stdout) : read.stdout.trim() === "" ? Number.NaN : Number(read.stdout);
      return Number.isFinite(value) ? { score: value, why: name, writtenMb } : { score: null, why: `${name} holds no number`, writtenMb };
    }
    return { score: null, why: `no reward (agent ${worked.exitCode ?? "lost"}, verifier ${ran.exitCode ?? "lost"})`, writtenMb };
  } finally {
    await execa("docker", ["rm", "-f", "-v", container], { reject: false });
  }
}

const keeper = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`;

function numberIn(text: string): number {
  return Number(/"reward"\s*:\s*([0-9.]+)/.exec(text)?.[1] ?? Number.NaN);
}

async function written(container: string): Promise<number> {
  const { stdout } = await execa("docker", ["inspect", "--size", "--format", "{{.SizeRw}}", container], { reject: false, timeout: callMs });
  return Math.round(Number(stdout) / 1e6) || 0;
}
