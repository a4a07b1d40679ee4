import type { ExportedEvent, ExportedRun } from "../../traces/export/exported-run.ts";
import { turnsOf } from "../../traces/read/turns.ts";
import { storyEntry, storyResult, type StoryEntry } from "./story-entry.ts";
import { storyHead, turnLine, type StoryHead } from "./story-head.ts";

/** A run for a reader, in words that any page can show. All texts are of others and free of control characters; they are not escaped for any markup. */
export interface RunStory extends StoryHead {
  readonly turns: readonly StoryTurn[];
}
export interface StoryTurn {
  /** 0: before the first. */
  readonly turn: number;
  readonly sums: string;
  readonly entries: readonly StoryEntry[];
}

export function runStory(run: ExportedRun): RunStory {
  const turns = turnsOf(run.events);
  const [first] = run.events;
  const head = storyHead({
    start: first?.d,
    end: run.events.findLast(({ t, lane }) => t === "run.end" && lane === "main")?.d,
    verdict: run.events.findLast(({ t }) => t === "verifier.result")?.d,
    request: run.events.find(({ t }) => t === "model.request")?.d,
    begun: first?.ts,
    id: run.id,
    state: run.sealed ? "sealed" : "cut off",
    torn: run.torn,
    turns,
  });
  return {
    ...head,
    turns: turns.map(({ turn, events, ...sums }) => ({
      turn,
      sums: turnLine(sums),
      entries: entriesOf(events as readonly ExportedEvent[]), // turnsOf hands on the events it is given
    })),
  };
}

/** A call is told with its result. */
function entriesOf(events: readonly ExportedEvent[]): StoryEntry[] {
  const results = new Map(events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  const paired = new Set<ExportedEvent>();
  return events.flatMap((event) => {
    const entry = paired.has(event) ? undefined : storyEntry(event);
    if (!entry) return [];
    const result = event.t === "tool.call" ? results.get(`${event.lane}#${event.n}`) : undefined;
    if (result) paired.add(result);
    return [result ? { ...entry, result: storyResult(result) } : entry];
  });
}
