import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { stepsAfter } from "../../../evals/report/steps-after.ts";
import { createRunTally } from "../../../evals/trial/evidence/run-tally.ts";
import { middleware } from "../../../harness/contract/middleware.ts";
import { runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { createTraceStats } from "../../../traces/read/run-stats.ts";
import { turnsOf } from "../../../traces/read/turns.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-counted-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("what a middleware adds at the start, and a change of no effect, are counted as interventions nowhere", async () => {
  const says = middleware("says", "1", z.strictObject({}), () => ({
    start: async () => ({ system: "a section", messages: ["a message"] }),
    async model(call, next, run) {
      run.intervene("no effect", "the model takes no effort");
      return next(call);
    },
    async tool(call, next, run) {
      run.inject("Mind the tests.", "a call");
      return next(call);
    },
  })).create({});
  const { events } = await runFixture({
    script: [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "done" }],
    middleware: [says],
    exec: () => "",
  });
  expect(events.filter(({ t }) => t === "middleware")).toHaveLength(5);

  const tally = createRunTally();
  for (const event of events) tally.add(event);
  expect(tally.interventions).toBe(1);
  const turns = turnsOf(events.map((event, seq) => ({ ...event, seq })));
  expect(turns.map(({ interventions }) => interventions)).toEqual([0, 1, 0]);

  const folder = join(root, "run");
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  trace.seal(null);
  const stats = createTraceStats();
  stats.add(await loadTrace(folder), 0);
  expect(stats.result().middleware).toEqual([{ name: "says", interventions: 1, runs: 1 }]);
  expect(await stepsAfter(folder, () => expect.unreachable())).toEqual([{ middleware: "says", change: "inject", followed: "answered" }]);
});
