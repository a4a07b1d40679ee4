import { describe, expect, it } from "vitest";
import { cellsOf } from "../../../analyzer/contrast/cells.ts";
import { contrastFaults } from "../../../analyzer/contrast/contrast-faults.ts";
import type { ContrastRow } from "../../../analyzer/contrast/contrast-row.ts";
import { contrastRuns } from "../../../analyzer/contrast/contrast-runs.ts";

interface Given {
  readonly tasks: number;
  readonly families?: number;
  readonly configuration?: string;
  readonly runs: readonly Partial<ContrastRow>[];
}

/** The same runs of each task. */
const table = ({ tasks, families = tasks, configuration = "one", runs }: Given): ContrastRow[] =>
  Array.from({ length: tasks }, (_, t) =>
    runs.map((run, i): ContrastRow => ({
      run: `t${t}/${configuration}/${i}`,
      task: `t${t}`,
      family: `f${t % families}`,
      configuration,
      hash: "",
      model: "m",
      passed: true,
      turns: 3,
      effectsKnown: true,
      seen: {},
      files: [],
      programs: [],
      opening: { seq: 2, step: 1, quote: "the whole of the first reply" },
      calls: [],
      ...run,
    })),
  ).flat();

const at = (turn: number) => ({ turn, seq: 10 + turn, step: turn, quote: `what it did in its turn ${turn}` });
const call = (says: string, turn: number) => ({ says, turn, seq: 20 + turn, step: turn, quote: `the call ${says} as it was made` });
const [json, cut] = ["first-reply-json-call", "reply-cut"];
const lost = { passed: false, seen: { [json]: at(1) } };
const contrastOf = (rows: readonly ContrastRow[], feature: string) =>
  contrastRuns(cellsOf(rows)).contrasts.find((contrast) => contrast.feature === feature);

describe("contrasting failed and passed runs of the same task", () => {
  it("finds what failed runs have, with its counts, and says it of each failed run that has it", () => {
    const rows = [...table({ tasks: 8, families: 4, runs: [lost, {}, {}] }), ...table({ tasks: 8, configuration: "two", runs: [{}] })];
    const report = contrastRuns(cellsOf(rows));
    expect(report).toMatchObject({ runs: 32, cells: 16, mixedCells: 8, hints: [] });
    expect(report.contrasts[0]).toMatchObject({
      feature: json,
      side: "shown",
      withIt: { failed: 8, passed: 0 },
      without: { failed: 0, passed: 16 },
      configurations: ["one"],
      oddsRatio: Infinity,
      tasks: 8,
      families: 4,
      agree: 8,
      found: true,
      goesWith: null,
    });
    expect(report.contrasts[0]?.p).toBeCloseTo(3 ** -8, 12);
    const faults = contrastFaults(report, cellsOf(rows));
    expect([...faults.keys()]).toEqual(rows.filter(({ passed }) => !passed).map(({ run }) => run));
    expect(faults.get("t0/one/0")).toEqual([
      expect.objectContaining({
        seq: 11,
        step: 1,
        quote: "what it did in its turn 1",
        source: "contrast",
        kind: "malformed-call",
        confidence: "high",
      }),
    ]);
  });

  it("does not depend on the order of the runs", () => {
    const rows = table({ tasks: 9, families: 3, runs: [lost, {}, { seen: { [json]: at(1), [cut]: at(2) } }, { passed: false }] });
    expect(contrastRuns(cellsOf(rows.toReversed()))).toEqual(contrastRuns(cellsOf(rows)));
    expect([...contrastFaults(contrastRuns(cellsOf(rows.toReversed())), cellsOf(rows.toReversed()))]).toEqual([
      ...contrastFaults(contrastRuns(cellsOf(rows)), cellsOf(rows)),
    ]);
  });

  it.each([
    ["four tasks", { tasks: 4 }],
    ["two families", { tasks: 12, families: 2 }],
  ])("only hints at what %s show, without an odds ratio", (_, size) => {
    const report = contrastRuns(cellsOf(table({ ...size, runs: [lost, {}, {}] })));
    expect(report.contrasts).toEqual([]);
    expect(report.hints).toContainEqual(
      expect.objectContaining({ feature: json, why: "few tasks", failed: [size.tasks, size.tasks], passed: [0, 2 * size.tasks] }),
    );
  });

  it("only hints at what tells neighbouring tasks of a family apart", () => {
    const failing = table({ tasks: 6, runs: [lost] });
    const passing = table({ tasks: 6, runs: [{}] }).map((row) => ({ ...row, run: `other ${row.run}`, task: `other ${row.task}` }));
    const report = contrastRuns(cellsOf([...failing, ...passing]));
    expect(report.contrasts).toEqual([]);
    expect(report.hints).toEqual([expect.objectContaining({ feature: json, why: "neighbouring tasks", failed: [6, 6], passed: [0, 6] })]);
  });

  it("lists what only tells configurations apart, as confounded, and finds nothing", () => {
    const rows = [...table({ tasks: 8, runs: [lost, lost] }), ...table({ tasks: 8, configuration: "two", runs: [{}, {}] })];
    const report = contrastRuns(cellsOf(rows));
    expect(report.contrasts).toEqual([]);
    expect(report.confounded).toEqual([expect.objectContaining({ feature: json, tasks: 8, against: 0, configurations: ["one", "two"] })]);
    expect(contrastFaults(report, cellsOf(rows)).size).toBe(0);
  });

  it("keeps configurations apart that share a name and differ in harness or model", () => {
    const rows = table({ tasks: 8, runs: [{ ...lost, hash: "a" }, { hash: "b" }, { model: "n" }] });
    expect(contrastRuns(cellsOf(rows))).toMatchObject({ cells: 24, mixedCells: 0, contrasts: [] });
  });

  it("reads only turns that the runs of a cell reached alike: what comes later is no difference", () => {
    const late = { passed: false, turns: 9, seen: { [cut]: at(5) } };
    expect(contrastOf(table({ tasks: 8, runs: [late, {}, {}] }), cut)).toBeUndefined();
    expect(contrastOf(table({ tasks: 8, runs: [{ ...late, seen: { [cut]: at(3) } }, {}, {}] }), cut)).toMatchObject({ found: true });
  });

  it("leaves out a run that did not reach these turns, but not its first reply", () => {
    const runs = [{ ...lost, turns: 1 }, {}, {}, {}, { seen: { [cut]: at(2) } }, { passed: false }];
    const rows = table({ tasks: 8, runs });
    expect(contrastOf(rows, json)?.withIt).toEqual({ failed: 8, passed: 0 });
    expect(contrastOf(rows, cut)?.without).toEqual({ failed: 8, passed: 24 });
  });

  it("reports of features that mark the same runs the one that comes first, and the others with it", () => {
    const rows = table({ tasks: 8, runs: [{ passed: false, seen: { [json]: at(1), [cut]: at(1) } }, {}, {}] });
    expect(contrastOf(rows, cut)).toMatchObject({ found: true, goesWith: json });
    expect(contrastFaults(contrastRuns(cellsOf(rows)), cellsOf(rows)).get("t0/one/0")).toHaveLength(1);
  });

  it("cites, where failed runs lack something, the call at which they part from the passed run that is closest to them", () => {
    const check = { checked: at(3) };
    const runs = [
      { passed: false, calls: [call("bash ls", 1), call("bash cat a", 2)] },
      { seen: check, calls: [call("bash pytest", 1)] },
      { seen: check, calls: [call("bash ls", 1), call("bash pytest", 2)] },
    ];
    const rows = table({ tasks: 8, runs });
    expect(contrastOf(rows, "checked")).toMatchObject({ side: "lacking", oddsRatio: 0, found: true });
    expect(contrastFaults(contrastRuns(cellsOf(rows)), cellsOf(rows)).get("t3/one/0")).toEqual([
      expect.objectContaining({
        seq: 22,
        step: 2,
        quote: "the call bash cat a as it was made",
        kind: "no-check",
        why: 'It runs no test, build or type check. Of such runs 0 of 8 passed, of the others 16 of 16. t3/one/2, which passed, calls "bash pytest" where it calls "bash cat a".',
      }),
    ]);
  });

  it("compares files and programs with those of the other runs, and not what an import cannot know", () => {
    const usual = { files: [["a.py", 1] as [string, number]], programs: [["make", 1] as [string, number]] };
    const rows = table({ tasks: 8, runs: [{ passed: false, files: [["b.py", 1]] }, usual, usual] });
    const found = (given: readonly ContrastRow[]) =>
      contrastRuns(cellsOf(given))
        .contrasts.filter((contrast) => contrast.found)
        .map(({ feature }) => feature);
    expect(found(rows)).toEqual(expect.arrayContaining(["left-common-file", "touched-odd-file", "left-common-command"]));
    expect(found(rows.map((row) => ({ ...row, effectsKnown: false })))).toEqual(["left-common-command"]);
  });

  it("says nothing of no runs", () => {
    expect(contrastRuns(cellsOf([]))).toEqual({ runs: 0, cells: 0, mixedCells: 0, contrasts: [], hints: [], confounded: [] });
  });
});
