import { appendFileSync, chmodSync, mkdtempSync, readFileSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import { countDecisions } from "../../../evals/compare/ledger.ts";
import { job, suite, inFull, unwrapped } from "./scored-job.ts";

const file = (): string => join(mkdtempSync(join(tmpdir(), "forge-ledger-")), "ledger.jsonl");
const decided = (passes: number, o: { simulated?: boolean; digest?: string } = {}): ReturnType<typeof compare> =>
  compare([job({ a: suite(20, () => 0), b: suite(20, (i) => (i < passes ? 1 : 0)) }, o)]);

describe("the ledger of a suite", () => {
  it("counts each decision once, however often it is asked for", async () => {
    const ledger = file();
    expect((await countDecisions(ledger, decided(3), 1)).decided).toBe(1);
    expect((await countDecisions(ledger, decided(3), 2)).decided).toBe(1);
    expect((await countDecisions(ledger, decided(4), 3)).decided).toBe(2);
    expect(readFileSync(ledger, "utf8").trim().split("\n")).toHaveLength(2);
  });

  it("counts suites apart, and a pair of every comparison", async () => {
    const ledger = file();
    await countDecisions(ledger, decided(3), 1);
    expect((await countDecisions(ledger, decided(3, { digest: "other" }), 2)).decided).toBe(1);
    const three = compare([job({ a: suite(20, () => 0), b: suite(20, () => 0), c: suite(20, (i) => i % 2) })]);
    expect((await countDecisions(ledger, three, 3)).decided).toBe(4);
  });

  it("counts no withheld verdict and none of too few tasks", async () => {
    const few = compare([job({ a: suite(5, () => 0), b: suite(5, () => 1) })]);
    const ledger = file();
    expect((await countDecisions(ledger, decided(3, { simulated: true }), 1)).decided).toBe(0);
    expect((await countDecisions(ledger, few, 1)).decided).toBe(0);
  });

  it("passes over lines that are none of its own", async () => {
    const ledger = file();
    appendFileSync(ledger, 'torn {"v":1\n{"v":2,"id":"x"}\n\n');
    expect((await countDecisions(ledger, decided(3), 1)).decided).toBe(1);
  });

  it("begins a line of its own behind one that a crash tore, so that the next look counts both", async () => {
    const ledger = file();
    await countDecisions(ledger, decided(3), 1);
    truncateSync(ledger, readFileSync(ledger).length - 5);
    expect((await countDecisions(ledger, decided(4), 2)).decided).toBe(1);
    expect((await countDecisions(ledger, decided(5), 3)).decided).toBe(2);
  });

  it("says that it cannot be read, and does not take it for an empty one", async () => {
    const ledger = mkdtempSync(join(tmpdir(), "forge-ledger-")); // a folder, which no user may read as a file
    expect(await countDecisions(ledger, decided(3), 1)).toMatchObject({ decided: 1, unwritten: expect.stringContaining("EISDIR") });
  });

  it("answers where it cannot be written, and says so on the page", async () => {
    const folder = mkdtempSync(join(tmpdir(), "forge-ledger-"));
    chmodSync(folder, 0o555);
    const ledger = await countDecisions(join(folder, "missing", "ledger.jsonl"), decided(3), 1);
    expect(ledger).toMatchObject({ decided: 1, unwritten: expect.stringMatching(/ENOENT|EACCES/) });
    expect(unwrapped(inFull({ ...decided(3), ledger }))).toMatch(/comparison 1 on this suite .*could not be written/);
  });
});
