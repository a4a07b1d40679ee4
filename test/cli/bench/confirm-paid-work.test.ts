import { afterEach, describe, expect, it, vi } from "vitest";
import { confirmPaidWork } from "../../../cli/bench/confirm-paid-work.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import type { ModelIdentity } from "../../../harness/contract/ports.ts";
import { fixtureConfig } from "../../evals/bench-fixture.ts";

afterEach(() => vi.restoreAllMocks());

/** What is said before two configurations are measured on two tasks, three times. */
async function said(identity: Partial<ModelIdentity>, done = 0): Promise<{ answer: boolean; text: string }> {
  let text = "";
  vi.spyOn(process.stderr, "write").mockImplementation((piece) => ((text += String(piece)), true));
  const request = {
    configurations: [fixtureConfig("a"), fixtureConfig("b")],
    agent: "configured",
  };
  const all = ["a", "b"].flatMap((configuration) => Array.from({ length: 6 }, () => ({ configuration })));
  const ports = {
    identify: async () => ({ provider: "anthropic", name: "claude-haiku-4-5", protocol: "native", priceTable: "2026-11", ...identity }),
  };
  const answer = await confirmPaidWork(request as unknown as BenchRequest, ports as unknown as BenchPorts, {
    yes: true,
    left: async () => all.slice(done),
  }); // what it reads of both
  return { answer, text };
}

describe("before paid work", () => {
  it("the bench says how many trials it may be and what they may cost", async () => {
    const { answer, text } = await said({});
    // 12 trials of 150,000 tokens in at $1 a million and 6,000 out at $5
    expect(text).toMatch(/^Paid work: up to 12 trials with .*, about \$2\.16 without a cache; no cost limit/);
    expect(answer).toBe(true);
  });

  it("what is done already is not counted, and where nothing is left nothing is said", async () => {
    expect((await said({}, 9)).text).toMatch(/^Paid work: up to 3 trials with .*, about \$0\.54 without a cache/);
    expect(await said({}, 12)).toEqual({ answer: true, text: "" });
  });

  it("a price that nobody knows is no price, and a simulated model none at all", async () => {
    expect((await said({ name: "claude-unheard-of" })).text).toContain("cost not known");
    expect(await said({ simulated: true })).toEqual({ answer: true, text: "" });
  });
});
