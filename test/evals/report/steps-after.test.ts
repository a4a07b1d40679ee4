import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { countInterventions } from "../../../evals/report/interventions.ts";
import { stepsAfter } from "../../../evals/report/steps-after.ts";
import type { TrialFacts } from "../../../evals/report/trial-facts.ts";
import { middleware } from "../../../harness/contract/middleware.ts";
import { runFixture, type FixtureOptions } from "../../../testing.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-steps-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

async function run(o: FixtureOptions): Promise<string> {
  const folder = join(root, `run-${made++}`);
  const trace = recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of (await runFixture(o)).events) trace.emit(event);
  trace.seal(null);
  return folder;
}
const call = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const exec = (command: string): string => `ran ${command}`;
const nudge = middleware("nudge", "1", z.strictObject({}), () => ({
  async tool(given, next, own) {
    own.inject("Look again.", "to see what follows");
    return next(given);
  },
})).create({});

describe("what followed an intervention", () => {
  it("is what the model's next step did: the same call, another one, an answer", async () => {
    const folder = await run({ exec, middleware: [nudge], script: [call("ls"), call("ls"), call("pwd"), { text: "done" }] });
    expect((await stepsAfter(folder, () => expect.unreachable())).map(({ followed }) => followed)).toEqual([
      "same call again",
      "other call",
      "answered",
    ]);
  });

  it("is told of calls and edits that are too large for a trace's line, and left unread where their blobs are gone", async () => {
    // short enough each to stay in the reply, which together is too long for its line
    const large = (letter: string) => ({ calls: ["1", "2", "3"].flatMap((n) => call(`echo ${n}${letter.repeat(2000)}`).calls) });
    const script = [call("ls"), large("a"), large("b"), large("b"), { text: "done" }];
    const folder = await run({ exec, middleware: [nudge], script });
    expect(readdirSync(join(folder, "blobs"))).not.toEqual([]);
    expect([...new Set((await stepsAfter(folder, () => expect.unreachable())).map(({ followed }) => followed))]).toEqual([
      "other call",
      "same call again",
      "answered",
    ]);
    rmSync(join(folder, "blobs"), { recursive: true });
    expect((await countInterventions([{ name: "a", trials: [{ ...facts, run: folder }] }])).unread).toBe(1);
  });

  it("is nothing where the run ended first", async () => {
    const folder = await run({ exec, middleware: [nudge], script: [call("ls")], limits: { turns: 1 } });
    expect(await stepsAfter(folder, () => expect.unreachable())).toEqual([{ middleware: "nudge", change: "inject", followed: "nothing" }]);
  });

  it("is counted by configuration and middleware, a run once however often it acted; a trace that is gone or cannot be read is counted as unread", async () => {
    const folder = await run({ exec, middleware: [nudge], script: [call("ls"), call("ls"), { text: "done" }] });
    const trial = (of: string, passed: boolean): TrialFacts => ({ ...facts, run: of, passed });
    const unreadable = join(root, "unreadable");
    mkdirSync(join(unreadable, "trace.jsonl"), { recursive: true }); // what no user may read
    const { rows, unread } = await countInterventions([
      { name: "a", trials: [trial(folder, true), trial(folder, false), trial(join(root, "gone"), true), trial(unreadable, true)] },
    ]);
    expect(rows).toEqual([
      {
        arm: "a",
        middleware: "nudge",
        change: "inject",
        times: 4,
        runs: 2,
        passed: 1,
        followed: { "same call again": 2, answered: 2 },
      },
    ]);
    expect(unread).toBe(2);
  });

  it("is counted of a trace that ends in a torn line as far as it goes, and that run is named as such", async () => {
    const folder = await run({ exec, middleware: [nudge], script: [call("ls"), call("ls"), { text: "done" }] });
    rmSync(join(folder, "seal.json"));
    appendFileSync(join(folder, "trace.jsonl"), '{"v":1');
    const { rows, unread, torn } = await countInterventions([{ name: "a", trials: [{ ...facts, run: folder }] }]);
    expect([rows.map(({ times }) => times), unread, torn]).toEqual([[2], 0, 1]);
    const sealed = await run({ exec, middleware: [nudge], script: [call("ls"), { text: "done" }] });
    appendFileSync(join(sealed, "trace.jsonl"), '{"v":1');
    const both = await countInterventions([{ name: "a", trials: [folder, sealed].map((one) => ({ ...facts, run: one })) }]);
    expect([both.unread, both.torn]).toEqual([1, 1]); // damaged, and in no other count
  });
});

const facts: TrialFacts = {
  task: "t",
  repeat: 1,
  score: 1,
  passed: true,
  outcome: "passed",
  tokens: 1,
  tokensOut: 1,
  costUsd: null,
  activeMs: 1,
  turns: 1,
  interventions: 1,
  run: "",
};
