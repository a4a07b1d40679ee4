import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { createTraceStats } from "../../../traces/read/run-stats.ts";
import { turnsOf } from "../../../traces/read/turns.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-turns-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("a run by turns", () => {
  it("holds each event once and in order, and its sums and those of the statistics are what the run's end says", async () => {
    const stats = createTraceStats();
    const told = { runs: 0, turns: 0, input: 0, output: 0, calls: 0, interventions: 0 };
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const { events, result } = await runFixture(optionsOf(generated));
        const turns = turnsOf(events.map((event, seq) => ({ ...event, seq })));
        expect(turns.flatMap(({ events: own }) => own.map(({ seq }) => seq)).toSorted((a, b) => a - b)).toEqual(events.map((_, i) => i));
        const sum = (key: "input" | "output" | "calls" | "interventions"): number => turns.reduce((total, turn) => total + turn[key], 0);
        expect(sum("calls")).toBe(events.filter(({ t }) => t === "tool.call").length);
        expect({ input: sum("input"), output: sum("output") }).toEqual({ input: result.spent.input, output: result.spent.output });
        const folder = join(root, `run-${told.runs}`);
        const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
        for (const event of events) trace.emit(event);
        trace.seal(null);
        stats.add(await loadTrace(folder), 100);
        told.runs++;
        told.turns += turns.filter(({ turn }) => turn > 0).length;
        for (const key of ["input", "output", "calls", "interventions"] as const) told[key] += sum(key);
      }),
      { numRuns: draws(25), endOnFailure: true },
    );
    const found = stats.result();
    expect(found).toMatchObject({ runs: told.runs, turns: told.turns, input: told.input, output: told.output, bytes: 100 * told.runs });
    expect(found.byType["tool.call"] ?? 0).toBe(told.calls);
    expect(found.middleware.reduce((total, one) => total + one.interventions, 0)).toBe(told.interventions);
    for (const one of found.middleware) expect(one.runs).toBeLessThanOrEqual(told.runs);
    expect(Object.values(found.outcomes).reduce((total, n) => total + n, 0)).toBe(told.runs);
  });
});
