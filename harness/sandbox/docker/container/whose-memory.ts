import type { SandboxUsage } from "../../sandbox.ts";

/** What a container's control group and its daemon tell of memory. */
export interface MemoryCounts {
  /** The container's own limit; undefined where it has none. */
  readonly limitBytes: number | undefined;
  /** Its processes that the kernel ended for want of memory, whoever's. Undefined where nobody could count. */
  readonly kills: number | undefined;
  /** Its own limit was reached. */
  readonly reached: boolean;
  /** `reached` by what could not be freed (version 2 counts that); with version 1 a full file cache reaches it too. */
  readonly exact: boolean;
  /** Read on this machine, where nothing inside has a hand in it. */
  readonly outside: boolean;
}

/**
 * Whose memory ran out when the kernel ended processes of a container: its own limit's, only where it has one and that limit's counter says so, else the
 * machine's. Neither of the daemon's and the kernel's words is enough by itself: an `oom` event comes for the limit of a group above the container's too,
 * and with version 2 for the machine's memory; `oom_kill` counts every process of the group, whoever's memory it was. What was counted inside may be the
 * agent's invention, so it never speaks for the machine's fault.
 */
export function whoseMemory(counts: MemoryCounts, oomEvents: number): Pick<SandboxUsage, "oomKills" | "machineOomKills"> {
  const { limitBytes, reached, exact, outside } = counts;
  const kills = outside ? counts.kills : Math.max(counts.kills ?? 0, oomEvents > 0 ? 1 : 0) || counts.kills;
  if (kills === undefined) return {};
  const own = { oomKills: kills };
  const machine = { oomKills: 0, machineOomKills: kills };
  if (kills === 0) return own;
  if (limitBytes === undefined) return outside || oomEvents > 0 ? machine : { oomKills: 0 };
  if (!outside) return own;
  return reached && (exact || oomEvents > 0) ? own : machine;
}

/** Whether the daemon's event is worth waiting for: it alone tells a full cache from a limit that was reached. */
export function needsEvent({ limitBytes, kills = 0, reached, exact, outside }: MemoryCounts): boolean {
  return outside && limitBytes !== undefined && kills > 0 && reached && !exact;
}
