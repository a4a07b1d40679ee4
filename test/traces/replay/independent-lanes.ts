import type { RunEvent } from "../../../harness/events/schema.ts";

/** Tools of the generated runs that may overlap with others of the same reply. */
const readOnly: ReadonlySet<unknown> = new Set(["look", "glance", "agent", "agents"]);

/**
 * The events in another order that a run could have had as well. Two events keep theirs if one is in a lane that depends on the other's, if one is the
 * other's cause, or if both are calls of the same reply, which are handed on in order. `pick` chooses among those that may come next: 0 up to, not including, its argument.
 */
export function interleave(events: readonly RunEvent[], pick: (count: number) => number): RunEvent[] {
  const fixed = dependence(events);
  let left = [...events];
  const order: RunEvent[] = [];
  while (left.length > 0) {
    const next = left.filter((event, i) => !left.slice(0, i).some((earlier) => fixed(earlier, event)));
    const taken = next.at(pick(next.length));
    if (taken) order.push(taken); // the first that is left is always among `next`
    left = left.filter((event) => event !== taken);
  }
  return order;
}

/** Whether the earlier of two events must stay before the later one. */
function dependence(events: readonly RunEvent[]): (earlier: RunEvent, later: RunEvent) => boolean {
  const names = new Map(events.flatMap(({ t, lane, d }) => (t === "tool.call" ? [[lane, (d["call"] as { name: string }).name]] : [])));
  const overlaps = (call: string): boolean => {
    const [, before = "", index = ""] = /^(.*\.)(\d+)$/.exec(call) ?? [];
    return Array.from({ length: Number(index) }, (_, i) => names.get(`${before}${i + 1}`)).every((name) => readOnly.has(name));
  };
  const independent = (one: string, other: string): boolean => {
    const [a, b] = [one.split("/"), other.split("/")];
    const at = a.findIndex((part, i) => part !== b[i]);
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) return false; // one lies in the other
    if (x.startsWith("sub") && y.startsWith("sub")) return true;
    // what middleware makes of a call waits for the calls before it
    if (a[at + 1]?.startsWith("mw:") || b[at + 1]?.startsWith("mw:")) return false;
    const sameReply = /^\d+\./.test(x) && x.split(".")[0] === y.split(".")[0];
    return sameReply && [a, b].every((lane) => overlaps(lane.slice(0, at + 1).join("/")));
  };
  return (earlier, later) => {
    if (later.cause.includes(`${earlier.lane}#${earlier.n}`) || !independent(earlier.lane, later.lane)) return true;
    return earlier.t === "tool.call" && later.t === "tool.call" && later.d["turn"] === earlier.d["turn"];
  };
}
