import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import { jobReport } from "../../../evals/report/job-report.ts";
import { outcomeGroup } from "../../../evals/report/outcome-group.ts";
import { benchCommand, wordOf } from "../../../evals/report/reproduce.ts";
import { job, suite } from "../compare/scored-job.ts";

const root = mkdtempSync(join(tmpdir(), "forge-report-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the report of a job", () => {
  it("has pass@k and pass^k for every k that most tasks have, beside the comparison's own numbers", async () => {
    const one = job({ a: { x: [1, 0, 1], y: [0, 0, 0] }, b: suite(2, () => 1) });
    const report = await jobReport([one], compare([one]));
    const curve = report.arms[0]?.passCurve ?? [];
    expect(curve.map(({ k }) => k)).toEqual([1, 2, 3]);
    expect(curve.map(({ any }) => any)).toEqual([expect.closeTo(1 / 3), expect.closeTo(0.5), expect.closeTo(0.5)]);
    expect(curve.map(({ all }) => all)).toEqual([expect.closeTo(1 / 3), expect.closeTo(1 / 6), 0]);
    expect(report.comparison.arms[0]?.passAtK).toMatchObject({ k: 3, any: curve[2]?.any, all: curve[2]?.all });
  });

  it("names the arms as the comparison does, and says in what their harnesses differ", async () => {
    const jobs = [job({ a: suite(3, () => 1) }), job({ a: suite(3, () => 0) }, { folder: "jobs/b", harness: { a: "other" }, model: "n" })];
    const comparison = compare(jobs);
    const report = await jobReport(jobs, comparison);
    expect(report.arms.map(({ name }) => name)).toEqual(comparison.arms.map(({ name }) => name));
    expect(report.changes).toEqual([{ a: "a", b: "a (jobs/b)", parts: ["model local/m → local/n"] }]);
  });

  it("groups trials by what ended them", () => {
    const [record] = job({ a: { x: [0] } }).records;
    if (!record) throw new Error("no record");
    const group = (o: Partial<typeof record>): string => outcomeGroup({ ...record, ...o });
    expect(group({})).toBe("ended, wrong");
    expect(group({ score: 0.5 })).toBe("ended, partly right");
    expect(group({ outcome: { type: "limit", limit: "turns" } })).toBe("limit: turns");
    expect(group({ outcome: { type: "limit", limit: "activeMs" } })).toBe("limit: active time");
    expect(group({ class: "infra", score: null, evidence: [{ kind: "daemon", says: "" }] })).toBe("infrastructure (daemon)");
    expect(group({ class: "passed", score: 1 })).toBe("passed");
  });
});

describe("the command that began a job", () => {
  const asked = {
    suite: "built in",
    config: ["bare", "it's.yaml"],
    model: "sim/default",
    baseUrl: "http://me:secret@localhost:1/v1?key=k",
  };
  const config = { agent: "configured", repeats: 2, filter: "a*", mode: null, sandbox: null, asked };

  it("can be typed again: quoted for a shell, without what an address keeps secret", async () => {
    writeFileSync(join(root, "config.json"), JSON.stringify(config));
    expect(await benchCommand({ ...job({ a: {} }), folder: root })).toBe(
      `forge bench 'built in' --config bare --config 'it'\\''s.yaml' --model sim/default --base-url http://localhost:1/v1 --filter 'a*' --repeats 2 --out ${relative(process.cwd(), root)}-again`,
    );
  });

  it("is not known where config.json is gone or is another's", async () => {
    expect(await benchCommand({ ...job({ a: {} }), folder: join(root, "gone") })).toBeUndefined();
    writeFileSync(join(root, "config.json"), "[]");
    expect(await benchCommand({ ...job({ a: {} }), folder: root })).toBeUndefined();
  });

  it("quotes what a shell would read otherwise", () => {
    for (const word of ["$(reboot)", "a b", "", "`x`", "a\nb", "*"]) expect(wordOf(word)).toBe(`'${word}'`);
    expect(wordOf("jobs/a-1.b")).toBe("jobs/a-1.b");
  });
});
