import { isIntervention } from "../../harness/events/is-intervention.ts";
import type { LoadedTrace } from "./load-trace.ts";
import { lacksExitCode, notKnownIn, type NotKnown } from "./imported.ts";
import { turnsOf } from "./turns.ts";

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  /** By the status of the answer: `ok`, `error`, `denied`, `timeout`; `not known` for one of an imported run without an exit code. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly activeMs: number;
}
export interface MiddlewareStats {
  readonly name: string;
  readonly interventions: number;
  /** In which it intervened at least once. */
  readonly runs: number;
}
/** Sums over runs. */
export interface TraceStats {
  readonly runs: number;
  readonly events: number;
  /** Uncompressed lines, payloads apart. */
  readonly bytes: number;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  /** USD over the runs with known prices; `unpriced` have none. */
  readonly costUsd: number;
  readonly unpriced: number;
  /** Milliseconds inside model and tool calls. */
  readonly activeMs: number;
  readonly passed: number;
  readonly failed: number;
  /** Imported runs whose source could not tell something, by what: in the sums above they count nothing of it. */
  readonly notKnown: Readonly<Partial<Record<NotKnown, number>>>;
  readonly byType: Readonly<Record<string, number>>;
  /** How runs ended; `cut off` where they did not. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Failed tries at a request, by kind. */
  readonly failedTries: Readonly<Record<string, number>>;
  readonly tools: readonly ToolStats[];
  readonly middleware: readonly MiddlewareStats[];
}

/** Adds up runs, one at a time: memory does not grow with their number. `bytes`: of the uncompressed lines. */
export function createTraceStats(): { add(trace: LoadedTrace, bytes: number): void; result(): TraceStats } {
  const sums = { runs: 0, events: 0, bytes: 0, turns: 0, input: 0, output: 0, costUsd: 0, unpriced: 0, activeMs: 0, passed: 0, failed: 0 };
  const [byType, outcomes, failedTries] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const tools = new Map<string, { calls: number; byStatus: Map<string, number>; activeMs: number }>();
  const middleware = new Map<string, { interventions: number; runs: number }>();
  const notKnown = new Map<NotKnown, number>();
  return {
    add(trace, bytes) {
      sums.runs++;
      sums.events += trace.events.length;
      sums.bytes += bytes;
      const turns = turnsOf(trace.events.map((event, seq) => ({ ...event, seq })));
      sums.turns += turns.filter(({ turn }) => turn > 0).length;
      const lacking = notKnownIn(trace.events[0]?.d["meta"]);
      for (const one of lacking) notKnown.set(one, (notKnown.get(one) ?? 0) + 1);
      const end = trace.events.find(({ t, lane }) => t === "run.end" && lane === "main")?.d["spent"];
      for (const turn of lacking.has("tokens") ? [{ input: amount(end, "input"), output: amount(end, "output"), activeMs: 0 }] : turns) {
        sums.input += turn.input;
        sums.output += turn.output;
        sums.activeMs += turn.activeMs;
      }
      const replies = turns.reduce<number | null>((sum, turn) => (sum === null || turn.costUsd === null ? null : sum + turn.costUsd), 0);
      const cost = !lacking.has("cost") ? replies : lacking.has("totalCost") ? null : amount(end, "costUsd");
      if (cost === null) sums.unpriced++;
      else sums.costUsd += cost;
      let outcome = "cut off";
      const acted = new Set<string>();
      for (const event of trace.events) {
        const { t, lane, d } = event;
        count(byType, t);
        if (t === "run.end" && lane === "main") outcome = word(d["outcome"], "type");
        if (t === "model.attempt") count(failedTries, word(d, "kind"));
        if (t === "verifier.result") sums[d["passed"] === true ? "passed" : "failed"]++;
        if (isIntervention(event)) acted.add(seen(middleware, word(d, "name")));
        if (t === "tool.result") tool(word(d, "name"), lacksExitCode(event) ? "not known" : word(d["reply"], "status"), d["activeMs"]);
      }
      for (const name of acted) bump(middleware, name);
      count(outcomes, outcome);
    },
    result: () => ({
      ...sums,
      notKnown: Object.fromEntries(notKnown),
      byType: plain(byType),
      outcomes: plain(outcomes),
      failedTries: plain(failedTries),
      tools: [...tools].map(([name, one]) => ({ name, ...one, byStatus: plain(one.byStatus) })).toSorted((a, b) => b.calls - a.calls),
      middleware: [...middleware].map(([name, one]) => ({ name, ...one })).toSorted((a, b) => b.interventions - a.interventions),
    }),
  };

  function tool(name: string, status: string, activeMs: unknown): void {
    const one = tools.get(name) ?? { calls: 0, byStatus: new Map<string, number>(), activeMs: 0 };
    tools.set(name, one);
    one.calls++;
    one.activeMs += typeof activeMs === "number" ? activeMs : 0;
    count(one.byStatus, status);
  }
}

function count(into: Map<string, number>, key: string): void {
  into.set(key, (into.get(key) ?? 0) + 1);
}

function seen(into: Map<string, { interventions: number; runs: number }>, name: string): string {
  const one = into.get(name) ?? { interventions: 0, runs: 0 };
  into.set(name, one);
  one.interventions++;
  return name;
}

function bump(into: Map<string, { interventions: number; runs: number }>, name: string): void {
  const one = into.get(name);
  if (one) one.runs++;
}

/** A text in recorded data, where both are what they should be. */
function word(value: unknown, key: string): string {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined; // any key may be asked of an object
  return typeof found === "string" ? found : "unknown";
}

/** A number in recorded data, where both are what they should be. */
function amount(value: unknown, key: string): number {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined; // as above
  return typeof found === "number" ? found : 0;
}

/** Names may be any text, `__proto__` too. */
const plain = (counts: ReadonlyMap<string, number>): Record<string, number> => Object.fromEntries(counts);
