import { execa } from "execa";
import type { Task } from "../../tasks/task.ts";
import type { SmallMachine } from "./small-machine.ts";

/** What a naive runner made of a trial. `score` null: it found none, and such a trial falls out of the count. */
export interface NaiveResult {
  readonly score: number | null;
  readonly why: string;
}

const callMs = 8_000;
/** So long an attack on the machine may need, where that is busy with others. */
const machineMs = 40_000;

const limitsFor = ({ environment }: Task): string[] => ["--pids-limit", "128", "--memory", `${environment.memoryMb ?? 256}m`];

/**
 * A small, honest model of a runner that trusts its agents: one container for agent and verifier, processes left alive, login shells with whatever
 * the profile files say, the tests copied to wherever /tests leads, `reward.json` before `reward.txt`, and with `parse` the word of what was printed.
 * Only the limits are better than a naive runner's, so that an attack harms nobody here: 128 processes, and the task's memory. On a small machine, which
 * is the bound itself, there are none.
 */
export async function runNaively(
  task: Task,
  image: string,
  agent: string,
  o: { parse?: boolean; machine?: SmallMachine } = {},
): Promise<NaiveResult> {
  const { docker: words, options } = o.machine ?? { docker: [], options: limitsFor(task) };
  const docker = (args: readonly string[], timeout = callMs) =>
    execa("docker", [...words, ...args], { reject: false, timeout, all: true, maxBuffer: 1 << 20 });
  const run = ["run", "-d", "--label", "forge.naive=1", "--network", o.machine?.network?.naive ?? "none", "--ulimit", "core=0", ...options];
  const started = await execa("docker", [...words, ...run, "--entrypoint", "sh", image, "-c", keeper]);
  const container = started.stdout.trim();
  const inside = (command: string, timeout?: number) => docker(["exec", container, "bash", "-lc", command], timeout);
  try {
    const worked = await inside(agent, o.machine ? machineMs : callMs);
    await docker(["exec", container, "mkdir", "-p", "/tests"]);
    const put = await docker(["cp", `${task.verifier.testsFolder}/.`, `${container}:/tests`]);
    if (put.failed) return { score: null, why: `the tests could not be copied: ${put.stderr.slice(0, 120)}` };
    const ran = await inside("chmod +x /tests/test.sh; /tests/test.sh");
    if (o.parse === true) return { score: /\b\d+ passed\b/.test(ran.all ?? "") ? 1 : 0, why: "by what was printed" };
    for (const name of ["reward.json", "reward.txt"]) {
      const read = await inside(`cat /logs/verifier/${name}`);
      if (read.timedOut || read.isMaxBuffer) return { score: null, why: `${name} was read for ever` };
      if (read.exitCode !== 0) continue;
      const value = name === "reward.json" ? numberIn(read.stdout) : read.stdout.trim() === "" ? Number.NaN : Number(read.stdout);
      return Number.isFinite(value) ? { score: value, why: name } : { score: null, why: `${name} holds no number` };
    }
    return { score: null, why: `no reward (agent ${worked.exitCode ?? "lost"}, verifier ${ran.exitCode ?? "lost"})` };
  } finally {
    await docker(["rm", "-f", "-v", container], 60_000);
  }
}

const keeper = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`;

function numberIn(text: string): number {
  return Number(/"reward"\s*:\s*([0-9.]+)/.exec(text)?.[1] ?? Number.NaN);
}
