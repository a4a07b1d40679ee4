import type { ExportedEvent } from "./exported-run.ts";

/** What one agent, or one middleware that asked a model, said and was told, with the lanes of its tool calls. */
export interface Conversation {
  readonly lane: string;
  /** In the order of the trace: of its own lane and of its calls' lanes. */
  readonly events: readonly ExportedEvent[];
  /** Subagents and side calls that began within it. */
  readonly children: readonly Conversation[];
}

const speaks = new Set(["run.start", "model.request"]);

/** The conversations of a run as a tree; the first is the run's own. */
export function conversationsOf(events: readonly ExportedEvent[]): Conversation {
  const root = events[0]?.lane ?? "main";
  const found = new Map<string, { lane: string; events: ExportedEvent[]; children: Conversation[] }>();
  for (const { t, lane } of events) if (speaks.has(t) && !found.has(lane)) found.set(lane, { lane, events: [], children: [] });
  const own = (lane: string): string => (found.has(lane) ? lane : above(lane));
  const above = (lane: string): string => {
    for (let end = lane.lastIndexOf("/"); end > 0; end = lane.lastIndexOf("/", end - 1)) {
      const parent = lane.slice(0, end);
      if (found.has(parent)) return parent;
    }
    return root;
  };
  for (const event of events) found.get(own(event.lane))?.events.push(event);
  for (const one of found.values()) if (one.lane !== root) found.get(above(one.lane))?.children.push(one);
  const first = found.get(root);
  if (!first) throw new Error("A run that was checked begins with run.start.");
  return first;
}
