import { notKnownWords, type NotKnown } from "../../traces/read/imported.ts";
import type { TraceStats } from "../../traces/read/run-stats.ts";
import { count, dollars, duration, plural } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { hanging } from "../text/wrapped.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** Sums over runs: a head, and a table each of tools and of middleware. */
export function describeTraceStats(stats: TraceStats): string {
  const judged = stats.passed + stats.failed;
  const lacking = Object.entries(stats.notKnown).map(([word, runs]) => `${notKnownWords[word as NotKnown]} (${runs})`); // words of ours alone
  const none = (word: NotKnown): boolean => stats.runs > 0 && stats.notKnown[word] === stats.runs;
  const unknown = stats.tools.some(({ byStatus }) => byStatus["not known"] !== undefined);
  const head = [
    `${plural(stats.runs, "run")}, ${plural(stats.turns, "turn")}, ${count(stats.events)} events in ${count(stats.bytes)} bytes`,
    `${none("totalTokens") ? "tokens not known" : `${count(stats.input)} tokens in, ${count(stats.output)} out`}, ${costText(stats)}, ${none("time") ? "time not known" : `${duration(stats.activeMs)} of work`}`,
    `ended: ${listed(stats.outcomes)}${judged > 0 ? `; ${stats.passed} of ${judged} passed` : ""}`,
    `events: ${listed(stats.byType)}`,
    ...(lacking.length > 0 ? [`not known of imported runs: ${lacking.join(", ")}`] : []),
    ...(Object.keys(stats.failedTries).length > 0 ? [`failed tries: ${listed(stats.failedTries)}`] : []),
  ];
  const tools = stats.tools.map((tool) => [
    oneLine(tool.name),
    tool.calls,
    tool.byStatus["error"] ?? 0,
    (tool.byStatus["denied"] ?? 0) + (tool.byStatus["timeout"] ?? 0),
    ...(unknown ? [tool.byStatus["not known"] ?? 0] : []),
    none("time") ? "not known" : duration(tool.activeMs),
  ]);
  const middleware = stats.middleware.map((one) => [oneLine(one.name), one.interventions, one.runs]);
  return [
    ...head.map((line) => hanging(line)),
    ...(tools.length > 0
      ? ["", plainTable(["tool", "calls", "errors", "denied or timed out", ...(unknown ? ["not known"] : []), "time"], tools)]
      : []),
    ...(middleware.length > 0 ? ["", plainTable(["middleware", "interventions", "runs"], middleware)] : []),
  ].join("\n");
}

const costText = ({ costUsd, unpriced, runs }: TraceStats): string =>
  runs > 0 && unpriced === runs
    ? "cost not known"
    : `${dollars(costUsd)}${unpriced > 0 ? ` without ${plural(unpriced, "run")} whose price is not known` : ""}`;

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, n]) => `${n} ${oneLine(name)}`)
    .join(", ") || "none";
