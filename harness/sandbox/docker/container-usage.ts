import type Docker from "dockerode";
import type { ExecResult, SandboxUsage } from "../sandbox.ts";

/**
 * What a container used, from its control group: read inside (both versions of the files), because the engine tells neither how often the kernel ended a
 * process for memory nor, with version 2, the peak. `OOMKilled` of the engine stays false when it hit a command and not PID 1.
 */
const script = `cd /sys/fs/cgroup || exit 0
for f in memory.peak memory/memory.max_usage_in_bytes; do [ -r $f ] && echo "peak $(cat $f)"; done
for f in memory.events memory/memory.oom_control; do [ -r $f ] && grep '^oom_kill ' $f; done
for f in cpu.stat cpu/cpu.stat; do [ -r $f ] && grep '^throttled_' $f; done
exit 0`;

export async function containerUsage(container: Docker.Container, exec: (command: string) => Promise<ExecResult>): Promise<SandboxUsage> {
  const read = await exec(script).catch(() => undefined);
  const values = new Map<string, number>();
  for (const line of Buffer.from(read?.stdout ?? [])
    .toString()
    .split("\n")) {
    const [key, value] = line.split(" ");
    if (key && value && Number.isFinite(Number(value))) values.set(key, Number(value));
  }
  const peak = values.get("peak");
  const throttledNs = values.get("throttled_time");
  const throttledUs = values.get("throttled_usec");
  const oomKills = values.get("oom_kill") ?? (await endedByMemory(container));
  return {
    ...(peak === undefined ? {} : { memoryPeakBytes: peak }),
    ...(oomKills === undefined ? {} : { oomKills }),
    ...(throttledNs === undefined ? {} : { throttledMs: throttledNs / 1e6 }),
    ...(throttledUs === undefined ? {} : { throttledMs: throttledUs / 1e3 }),
  };
}

async function endedByMemory(container: Docker.Container): Promise<number | undefined> {
  const found = await container.inspect().catch(() => undefined);
  return found?.State.OOMKilled ? 1 : undefined;
}
