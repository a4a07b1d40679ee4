import { describe, expect, it } from "vitest";
import { cellsOf } from "../../../analyzer/contrast/cells.ts";
import { contrastFaults } from "../../../analyzer/contrast/contrast-faults.ts";
import type { ContrastRow } from "../../../analyzer/contrast/contrast-row.ts";
import { contrastRuns } from "../../../analyzer/contrast/contrast-runs.ts";
import { makeRow } from "../../../analyzer/contrast/make-row.ts";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { findSources } from "../../../analyzer/runs/find-sources.ts";
import type { AnalyzedRun } from "../../../analyzer/runs/analyzed-run.ts";
import { createRunReader, isLeftOut } from "../../../analyzer/runs/read-runs.ts";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { draws } from "../../needs.ts";

async function runsOf(archive: string): Promise<AnalyzedRun[]> {
  const reader = createRunReader();
  const runs: AnalyzedRun[] = [];
  for (const found of await findSources([archive], AbortSignal.timeout(120_000))) {
    const readable = await reader.inspect(found);
    const run = isLeftOut(readable) ? readable : await reader.read(readable);
    if (!isLeftOut(run)) runs.push(run);
  }
  return runs;
}
const rowsOf = (runs: readonly AnalyzedRun[]): ContrastRow[] => runs.flatMap((run) => makeRow(run) ?? []);

const runs = await runsOf("docs/results/2026-11-22-three-configurations.tar.gz");
const rows = rowsOf(runs);
const report = contrastRuns(cellsOf(rows));

describe("the contrast of three configurations", () => {
  it("finds by itself what a person found by reading: 30 of 96 runs of standard-text begin with a JSON call", () => {
    expect(report).toMatchObject({ runs: 288, cells: 96 });
    const contrast = report.contrasts.find(({ feature }) => feature === "first-reply-json-call");
    expect(contrast).toMatchObject({
      says: "The first reply has a JSON call block.",
      side: "shown",
      configurations: ["standard-text"],
      withIt: { failed: 28, passed: 2 },
      without: { failed: 11, passed: 55 },
      found: true,
      goesWith: null,
    });
    const forms = new Map(contrast?.forms.map(({ form, failed, passed }) => [form, failed + passed]));
    expect(forms.get("names a tool that does not exist")).toBe(14);
    expect(forms.get("cannot be parsed, so the reply counts as the final answer")).toBe(7);
    expect((forms.get("calls the tool read") ?? 0) + (forms.get("calls the tool edit") ?? 0)).toBe(9);
    expect([contrast?.oddsRatio, contrast?.low, contrast?.high]).toEqual([
      expect.closeTo(31, 6),
      expect.closeTo(3.93, 1),
      expect.closeTo(244.7, 0),
    ]);
    expect(contrast?.p).toBeLessThan(1e-6);
  });

  it("says so first of each of its 28 failed runs, with citations that hold, and counts the 2 that passed without a quote", () => {
    const faults = contrastFaults(report, cellsOf(rows));
    const first = [...faults.values()].filter(([fault]) => fault?.detector === "contrast:first-reply-json-call");
    expect(first.filter(([fault]) => fault?.quote !== "")).toHaveLength(28);
    expect(first.filter(([fault]) => fault?.quote === "")).toHaveLength(2);
    for (const run of runs)
      for (const fault of faults.get(run.name) ?? [])
        if (run.passed === true) expect(fault.quote).toBe("");
        else expect(isCited(run, fault), fault.why).toBe(true);
  });

  it("finds something in at most 5 % of tables whose outcomes were shuffled within task and configuration", () => {
    const random = seededRandom(31);
    const tables = draws(200);
    let any = 0;
    for (let i = 0; i < tables; i++) if (contrastRuns(cellsOf(shuffled(rows, random))).contrasts.some(({ found }) => found)) any++;
    expect(any / tables).toBeLessThanOrEqual(0.05);
  });
});

describe("the contrast of the demo's runs", () => {
  it("finds the same: none of 12 that begin with a JSON call passed, 32 of the other 36 did", async () => {
    const demo = contrastRuns(cellsOf(rowsOf(await runsOf("cli/demo/recorded.tar.gz"))));
    expect(demo.contrasts.filter(({ found, goesWith }) => found && goesWith === null)).toEqual([
      expect.objectContaining({ feature: "first-reply-json-call", withIt: { failed: 12, passed: 0 }, without: { failed: 4, passed: 32 } }),
    ]);
  });
});

/** Outcomes dealt again among the runs of each task and configuration. */
function shuffled(from: readonly ContrastRow[], random: () => number): ContrastRow[] {
  const cells = new Map<string, ContrastRow[]>();
  for (const row of from) {
    const key = `${row.task} ${row.configuration}`;
    cells.set(key, [...(cells.get(key) ?? []), row]);
  }
  return [...cells.values()].flatMap((cell) => {
    const outcomes = cell.map(({ passed }) => passed);
    for (let i = outcomes.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [outcomes[i], outcomes[j]] = [outcomes[j] ?? false, outcomes[i] ?? false];
    }
    return cell.map((row, i) => ({ ...row, passed: outcomes[i] ?? false }));
  });
}
