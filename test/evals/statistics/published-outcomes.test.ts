import { describe, expect, it } from "vitest";
import { holm } from "../../../evals/statistics/holm.ts";
import { mcNemar } from "../../../evals/statistics/mc-nemar.ts";
import { outcomes } from "./outcomes.ts";

describe("published outcomes of four models on 80 tasks", () => {
  const solved = new Map<string, Map<string, boolean>>();
  for (const [model = "", task = "", resolved] of outcomes("codetracer-outcomes.csv")) {
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
    for (const [agent = "", task = "", , resolved = ""] of outcomes("terminal-bench-core-trials.csv")) {
      const cell = `${agent} ${task}`;
      cells.set(cell, (cells.get(cell) ?? new Set()).add(resolved));
      sizes.set(cell, (sizes.get(cell) ?? 0) + 1);
    }
    const repeated = [...cells].filter(([cell]) => (sizes.get(cell) ?? 0) > 1);
    const mixed = repeated.filter(([, outcomes]) => outcomes.size > 1).length;
    expect((mixed / repeated.length).toFixed(2)).toBe("0.29");
  });
});
