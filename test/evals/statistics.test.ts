import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bonettPrice, detectable, thisSuiteInterval, tInterval, wilson } from "../../evals/statistics/interval.ts";
import { holm, mcNemar, signFlip } from "../../evals/statistics/tests.ts";

const rows = (file: string): string[][] =>
  readFileSync(new URL(`../fixtures/outcomes/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(","));

describe("published outcomes of four models on 80 tasks", () => {
  const solved = new Map<string, Map<string, boolean>>();
  for (const [model = "", task = "", resolved] of rows("codetracer-outcomes.csv")) {
    const tasks = solved.get(model) ?? new Map<string, boolean>();
    solved.set(model, tasks.set(task, resolved === "1"));
  }
  const pair = (a: string, b: string): [number, number] => {
    const tasks = [...(solved.get(a) ?? [])];
    const onlyA = tasks.filter(([task, passed]) => passed && !solved.get(b)?.get(task)).length;
    return [onlyA, tasks.filter(([task, passed]) => !passed && solved.get(b)?.get(task)).length];
  };

  it("are read as published: solved tasks and discordant pairs", () => {
    const counts = Object.fromEntries([...solved].map(([model, tasks]) => [model, [...tasks.values()].filter(Boolean).length]));
    expect(counts).toEqual({ c4: 28, coder: 30, gpt5: 23, v3: 4 });
    expect(pair("coder", "gpt5")).toEqual([14, 7]);
    expect(pair("c4", "gpt5")).toEqual([10, 5]);
    expect(pair("c4", "coder")).toEqual([6, 8]);
  });

  it("give the golden Holm-adjusted mid-p values over the six pairs", () => {
    const pairs = [
      ["coder", "gpt5"],
      ["c4", "gpt5"],
      ["c4", "coder"],
      ["c4", "v3"],
      ["coder", "v3"],
      ["gpt5", "v3"],
    ] as const;
    const adjusted = holm(pairs.map(([a, b]) => mcNemar(...pair(a, b)).midP));
    expect(adjusted.slice(0, 3).map((p) => p.toFixed(2))).toEqual(["0.40", "0.42", "0.61"]);
    for (const p of adjusted.slice(3)) expect(p).toBeLessThan(0.0002);
  });
});

describe("3,543 published trials with up to five attempts", () => {
  it("are mixed in 29 % of the cells of task and agent that have more than one", () => {
    const cells = new Map<string, Set<string>>();
    const sizes = new Map<string, number>();
    for (const [agent = "", task = "", , resolved = ""] of rows("terminal-bench-core-trials.csv")) {
      const cell = `${agent} ${task}`;
      cells.set(cell, (cells.get(cell) ?? new Set()).add(resolved));
      sizes.set(cell, (sizes.get(cell) ?? 0) + 1);
    }
    const repeated = [...cells].filter(([cell]) => (sizes.get(cell) ?? 0) > 1);
    const mixed = repeated.filter(([, outcomes]) => outcomes.size > 1).length;
    expect((mixed / repeated.length).toFixed(2)).toBe("0.29");
  });
});

describe("intervals", () => {
  it("fit published examples", () => {
    // Wilson 95 % for 0 of 10 and 5 of 10: Newcombe, Stat. Med. 17 (1998), method 3
    expect(wilson(0, 10)).toMatchObject({ low: 0, high: expect.closeTo(0.2775, 4) });
    expect(wilson(5, 10)).toMatchObject({ low: expect.closeTo(0.2366, 4), high: expect.closeTo(0.7634, 4) });
    // Student's t, 95 %, n = 5: t(4) = 2.776445
    expect(tInterval([0, 0.25, 0.5, 0.75, 1]).low).toBeCloseTo(0.5 - 2.776445 * Math.sqrt(0.15625 / 5), 5);
  });

  it("of a paired difference hold its point estimate and turn round with the arms", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(40), (gained, lost, same) => {
        const n = gained + lost + same + 1;
        const there = bonettPrice(gained, lost, n);
        const back = bonettPrice(lost, gained, n);
        expect(there.low).toBeLessThanOrEqual(there.high);
        expect(there.low).toBeCloseTo(-back.high, 10);
        expect(there.value).toBeCloseTo(-back.value, 10);
      }),
    );
  });

  it("on this suite ignore what tasks differ by, on new tasks they do not", () => {
    const cells = [0, 1, 2, 3].map((i) => ({ a: [0, 0, 0], b: i < 2 ? [1, 1, 1] : [0, 0, 0] }));
    expect(thisSuiteInterval(cells)).toMatchObject({ value: 0.5, low: 0.5, high: 0.5 });
    expect(tInterval([1, 1, 0, 0], 0.05, [-1, 1]).low).toBeLessThan(0);
  });

  it("say what could have been seen: 2.8 standard errors", () => {
    expect(detectable(0.1)).toBeCloseTo(0.2802, 4);
  });
});

describe("tests", () => {
  it("McNemar: published values", () => {
    // Fagerland et al. (2013), table 6: airway hyper-responsiveness, 1 and 7 discordant pairs
    expect(mcNemar(1, 7)).toEqual({ exact: expect.closeTo(0.0703, 4), midP: expect.closeTo(0.0391, 4) });
    expect(mcNemar(0, 0)).toEqual({ exact: 1, midP: 1 });
  });

  it("sign flips are exact for few tasks, seeded for many, and never 0", () => {
    expect(signFlip([1, 1, 1, 1])).toBe(2 / 16);
    expect(signFlip([])).toBe(1);
    const many = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? -0.2 : 0.4));
    expect(signFlip(many, 7)).toBe(signFlip(many, 7));
    expect(signFlip(Array.from({ length: 40 }, () => 1))).toBe(1 / 10_001);
  });

  it("Holm never lowers a p and keeps their order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (ps) => {
        const adjusted = holm(ps);
        adjusted.forEach((p, i) => expect(p).toBeGreaterThanOrEqual((ps[i] ?? 0) - 1e-15));
        const byRaw = ps.map((p, i) => ({ p, a: adjusted[i] ?? 0 })).toSorted((x, y) => x.p - y.p);
        for (let i = 1; i < byRaw.length; i++) expect(byRaw[i]?.a).toBeGreaterThanOrEqual(byRaw[i - 1]?.a ?? 0);
      }),
    );
  });
});
