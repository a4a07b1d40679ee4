import { afterAll, expect, it } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import { createRunSteps } from "../../../../evals/trial/attempt/trial-progress.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);

it("a bench tells each step of a running trial: its turn, its last command, and when it is being verified", async () => {
  const events: BenchEvent[] = [];
  await bench(await fixtureRequest([await fixtureTask()]), await benchPorts(), { onEvent: (event) => events.push(event) });
  const steps = events.flatMap((event) => (event.type === "trial.step" ? [event] : []));
  expect(steps.map(({ step }) => [step.phase, step.turn, step.command === null])).toEqual([
    ["agent", 1, true],
    ["agent", 1, false],
    ["agent", 2, false],
    ["verify", 2, false],
  ]);
  expect(steps.at(-1)).toMatchObject({
    attempt: 1,
    trial: { task: "write-out", configuration: "plain", repeat: 1 },
    step: { command: expect.stringMatching(/^bash: \S/) },
  });
});

it("a step adds up tokens and cost of all lanes, and a call without a price makes the cost unknown", () => {
  const add = createRunSteps();
  const answer = (lane: string, costUsd: number | null) =>
    add({ t: "model.response", lane, d: { usage: { input: 10, output: 2, cached: 0 }, costUsd } });
  expect(answer("main", 0.5)).toMatchObject({ turn: 1, tokens: 12, costUsd: 0.5 });
  expect(answer("main/1.0", 0.25)).toMatchObject({ turn: 1, tokens: 24, costUsd: 0.75 });
  expect(answer("main", null)).toMatchObject({ turn: 2, tokens: 36, costUsd: null });
});

it("a command is one line of bounded length, whatever the model wrote", () => {
  const add = createRunSteps();
  const call = (args: Record<string, string>) => add({ t: "tool.call", lane: "main", d: { call: { name: "bash", args } } })?.command;
  expect(call({ command: "cat <<EOF\n  a\n\tb\nEOF" })).toBe("bash: cat <<EOF a b EOF");
  expect(call({ command: "x".repeat(1_000_000) })).toHaveLength(200);
  expect(call({ other: "x" })).toBe("bash");
});
