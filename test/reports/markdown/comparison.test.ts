import { describe, expect, it } from "vitest";
import { compare, type Comparison } from "../../../evals/compare/compare.ts";
import { gateOf } from "../../../evals/compare/pipeline-gate.ts";
import { comparisonMarkdown } from "../../../reports/markdown/comparison.ts";
import { inline } from "../../../reports/markdown/inline.ts";
import { job, suite } from "../../evals/compare/scored-job.ts";

const compared = (): Comparison =>
  compare([
    job(
      { bare: suite(40, (i) => i % 2, 3), careful: suite(40, (i) => (i < 12 ? 1 : i % 2), 3) },
      { family: (task) => `f${Math.floor(Number(task.slice(1)) / 2)}` },
    ),
  ]);

describe("a comparison as Markdown", () => {
  it("says the answer first and folds what it rests on", () => {
    const text = comparisonMarkdown({ ...compared(), gate: gateOf(compared()), ledger: { file: "jobs/ledger.jsonl", decided: 37 } });
    expect(text).toMatch(
      /^### suite\n\n\*\*Gate passed\.\*\*.*\n\n\*\*careful is better than bare by 15 points .*\*\*\n\n40 tasks of 20 families × 3 repeats/,
    );
    expect(text).toContain("<details><summary>careful − bare (harness): 40 tasks of 20 families, 6 flips</summary>");
    expect(text).toContain("comparison 37 on this suite");
    expect(text).toMatch(/\| this suite \| \+15 points/);
    expect(text).toMatch(/\| family f1 \| 2 \|/);
  });

  it("names of a thousand tasks the largest changes, so that a comment on a pull request holds it", () => {
    const report = compare([job({ bare: suite(1000, () => 0, 3), careful: suite(1000, (i) => (i === 500 ? 1 : 1 / 3), 3) })]);
    const text = comparisonMarkdown(report);
    expect(text).toContain("The largest changes; 950 more with --json.");
    expect(text).toContain("| t500 |");
    expect(text.length).toBeLessThan(20_000);
  });

  it("has the same number of columns in every row of a table, whatever the names hold", () => {
    const hostile = "a|b<script>alert(1)</script>`x`\n| c [link](http://x) @someone #1";
    const scores = { [hostile]: { ...suite(20, () => 1), [hostile]: [0] }, b: { ...suite(20, () => 1), [hostile]: [1] } };
    const text = comparisonMarkdown(compare([job(scores)]));
    expect(text).not.toMatch(/<script|\[link\]|@someone|http:\/\//);
    const tables = text.split("\n\n").filter((block) => block.startsWith("|"));
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) expect(new Set(table.split("\n").map((row) => row.split("|").length)).size).toBe(1);
  });

  it("shows text of others and obeys none of it", () => {
    expect(inline("**x** \u001b[31m\u202e")).toBe("&#42;&#42;x&#42;&#42; \uFFFD&#91;31m\uFFFD");
    expect(inline("https://x www.y")).toBe("https&#58;//x www&#46;y");
    expect(inline('bash {"a": 1}')).toBe('bash &#123;"a": 1&#125;');
  });
});
