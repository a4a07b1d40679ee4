import type { RunFaults } from "../clusters/faults-of-runs.ts";
import type { Analysis } from "../contract.ts";
import type { Analyst } from "./analyst.ts";
import type { Clustered } from "./name-clusters.ts";
import type { Readings } from "./read-failed-runs.ts";

/** What an analysis says of its analyst: how much it read, what was dropped, where it contradicts what was found without it. */
export function summaryOf(
  { model, form }: Analyst,
  { readings, unread, clustered }: Readings & { readonly clustered: Clustered },
  runs: readonly RunFaults[],
): NonNullable<Analysis["analyst"]> {
  const dropped: Record<string, number> = {};
  for (const reason of readings.flatMap((reading) => reading.dropped)) dropped[reason] = (dropped[reason] ?? 0) + 1;
  const without = new Map(runs.map(({ line, faults }) => [line.run, faults[0]?.kind]));
  const sum = (of: (reading: Readings["readings"][number]) => number): number =>
    readings.reduce((total, reading) => total + of(reading), 0);
  return {
    model: model.name,
    form,
    read: readings.length,
    unread: [...unread],
    claims: sum(({ faults }) => faults.length),
    dropped,
    unreadable: readings.filter(({ readable }) => !readable).length,
    disagrees: readings.flatMap(({ run, faults: [first] }) => {
      const other = without.get(run);
      return first && other !== undefined && other !== first.kind ? [{ run, without: other, analyst: first.kind }] : [];
    }),
    byKind: clustered.why ?? null,
    input: sum(({ input }) => input) + clustered.spent.input,
    output: sum(({ output }) => output) + clustered.spent.output,
    costUsd: [...readings, clustered.spent].some(({ costUsd }) => costUsd === null)
      ? null
      : sum(({ costUsd }) => costUsd ?? 0) + (clustered.spent.costUsd ?? 0),
  };
}
