import { readFile } from "node:fs/promises";
import type Docker from "dockerode";
import type { ExecResult, SandboxUsage } from "../../sandbox.ts";
import type { MemoryCounts } from "./whose-memory.ts";

/** Without whose memory ran out, which its counts alone do not tell. */
export interface ContainerUsage {
  readonly usage: Omit<SandboxUsage, "oomKills" | "machineOomKills">;
  readonly memory: MemoryCounts;
}

/**
 * What a container used, from its control group, in both versions of the files: the engine tells neither how often the kernel ended a process for memory
 * nor, with version 2, the peak, and its `OOMKilled` stays false when that hit a command and not PID 1. Read on this machine where the daemon is here,
 * so that nothing inside has a hand in it; else inside, where a hostile agent may have replaced the commands: evidence against itself at most.
 */
export async function containerUsage(container: Docker.Container, exec: (command: string) => Promise<ExecResult>): Promise<ContainerUsage> {
  const found = await container.inspect().catch(() => undefined);
  const state = found?.State;
  const limitBytes = found?.HostConfig.Memory || undefined; // 0 is the engine's word for none
  const counted = await fromThisMachine(container.id, state?.Pid);
  const text = counted ?? (state?.Running ? await fromInside(exec) : "");
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [key, value] = line.split(" ");
    if (key && value && Number.isFinite(Number(value))) values.set(key, Number(value));
  }
  const peak = values.get("peak");
  const throttledNs = values.get("throttled_time");
  const throttledUs = values.get("throttled_usec");
  const pidsRefused = values.get("pids_max");
  return {
    usage: {
      ...(limitBytes === undefined ? {} : { memoryLimitBytes: limitBytes }),
      ...(peak === undefined ? {} : { memoryPeakBytes: peak }),
      ...(throttledNs === undefined ? {} : { throttledMs: throttledNs / 1e6 }),
      ...(throttledUs === undefined ? {} : { throttledMs: throttledUs / 1e3 }),
      ...(pidsRefused === undefined ? {} : { pidsRefused }),
    },
    memory: {
      limitBytes,
      kills: values.get("oom_kill") ?? (state?.OOMKilled ? 1 : undefined),
      reached: values.has("oom") ? (values.get("oom") ?? 0) > 0 : limitBytes !== undefined && (peak ?? 0) >= limitBytes - nearlyBytes,
      exact: values.has("oom"),
      outside: counted !== undefined,
    },
  };
}

/** What was known of one life, and what is known now: whose memory ran out is reported again as a whole, since an event that came late may move the blame. */
export function latestUsage(before: SandboxUsage, now: SandboxUsage): SandboxUsage {
  const { oomKills: _, machineOomKills: __, ...others } = before;
  return { ...(now.oomKills === undefined ? before : others), ...now };
}

/** Counters of two lives of one container, one after the other: a restart begins a new control group. */
export function addUsage(before: SandboxUsage, after: SandboxUsage): SandboxUsage {
  const sum: Record<string, number> = {};
  for (const key of ["oomKills", "machineOomKills", "throttledMs", "pidsRefused"] as const)
    if (before[key] !== undefined || after[key] !== undefined) sum[key] = (before[key] ?? 0) + (after[key] ?? 0);
  const peak = Math.max(before.memoryPeakBytes ?? 0, after.memoryPeakBytes ?? 0);
  return { ...after, ...sum, ...(peak > 0 ? { memoryPeakBytes: peak } : {}) };
}

/** A process is ended when a single page more does not fit; version 1's own count of failed charges stays 0 with newer kernels. */
const nearlyBytes = 1024 * 1024;

const script = `cd /sys/fs/cgroup || exit 0
for f in memory.peak memory/memory.max_usage_in_bytes; do [ -r $f ] && echo "peak $(cat $f)"; done
for f in memory.events memory/memory.oom_control; do [ -r $f ] && grep '^oom_kill ' $f; done
for f in cpu.stat cpu/cpu.stat; do [ -r $f ] && grep '^throttled_' $f; done
for f in pids.events pids/pids.events; do [ -r $f ] && sed -n 's/^max /pids_max /p' $f; done
exit 0`;

async function fromInside(exec: (command: string) => Promise<ExecResult>): Promise<string> {
  const read = await exec(script).catch(() => undefined);
  return Buffer.from(read?.stdout ?? []).toString();
}

async function fromThisMachine(id: string, pid: number | undefined): Promise<string | undefined> {
  if (!pid) return undefined;
  const groups = await read(`/proc/${pid}/cgroup`);
  // A process of another machine's daemon may have the same number here; its group then names another container.
  if (!groups.includes(id)) return undefined;
  const paths = new Map(
    groups.split("\n").flatMap((line) => {
      const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return controllers.split(",").map((controller) => [controller, path] as const);
    }),
  );
  const at = (controller: string, file: string): Promise<string> => {
    const own = paths.get(controller);
    return read(own === undefined ? `/sys/fs/cgroup${paths.get("") ?? ""}/${file}` : `/sys/fs/cgroup/${controller}${own}/${file}`);
  };
  const peak = (await at("memory", "memory.peak")) || (await at("memory", "memory.max_usage_in_bytes"));
  const kills = (await at("memory", "memory.events")) || (await at("memory", "memory.oom_control"));
  const refused = (await at("pids", "pids.events")).replace(/^max /m, "pids_max ");
  return [`peak ${peak.trim()}`, kills, await at("cpu", "cpu.stat"), refused].join("\n");
}

/** "" for what is not there. */
function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
