import { fileURLToPath } from "node:url";
import { csvRows } from "../../evals/imported/csv-rows.ts";
import { gatherArms } from "../../evals/imported/gather-arms.ts";
import type { ImportedRuns } from "../../evals/imported/imported-runs.ts";
import { readColumns, rowTrial } from "../../evals/imported/table-columns.ts";

const table = fileURLToPath(new URL("../../test/fixtures/outcomes/terminal-bench-core-trials.csv", import.meta.url));
/** The tests gave no result, or the agent was never there: the public results have no `is_resolved` for these, and count them as failures. */
const unverified = new Set(["parse_error", "test_timeout", "agent_installation_failed"]);

/** The published trials, those whose tests gave no result read one way or the other. */
export async function publishedRuns(unread: "as failures" | "without a score"): Promise<ImportedRuns> {
  const place = "terminal-bench-core";
  const gathering = gatherArms(place, "Terminal-Bench");
  let head: string[] | undefined;
  for await (const { line, cells } of csvRows(table)) {
    if (!head) {
      head = cells;
      continue;
    }
    const columns = readColumns(head, place);
    const row = new Map(head.map((name, i) => [name, cells[i]]));
    const trial = rowTrial((name) => row.get(columns.at(name) ?? ""), `line ${line}`, place);
    const lost = unread === "without a score" && trial.score === 0 && unverified.has(row.get("failure_mode") ?? "");
    gathering.add({ ...trial, arm: trial.arm.replace(/^\d+_/, ""), score: lost ? null : trial.score });
  }
  return { ...gathering.done(), place, format: "csv", suite: "terminal-bench-core 0.1.1", notKnown: [], shortcomings: [] };
}
