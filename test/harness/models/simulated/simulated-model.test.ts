import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { userMessage } from "../../../../harness/contract/messages.ts";
import type { Model, ModelRequest } from "../../../../harness/contract/ports.ts";
import { withTextProtocol } from "../../../../harness/models/protocols/text.ts";
import { draw } from "../../../../harness/models/simulated/draw.ts";
import { drawFaults } from "../../../../harness/models/simulated/faults/draw-faults.ts";
import { faults } from "../../../../harness/models/simulated/faults/fault-kinds.ts";
import { heed, heedChance, statesFact } from "../../../../harness/models/simulated/play/heeding.ts";
import { planSchema } from "../../../../harness/models/simulated/plan.ts";
import { profileNames, profileOf } from "../../../../harness/models/simulated/profiles.ts";
import { createSimulatedModel } from "../../../../harness/models/simulated/simulated-model.ts";
import { bash, converse, editNudge, firstSolved, model, plan, seedWith, type Talk } from "./conversation.ts";

const anyTalk: fc.Arbitrary<Talk> = fc
  .tuple(fc.array(fc.string({ maxLength: 30 }), { maxLength: 3 }), fc.array(fc.string({ maxLength: 30 }), { maxLength: 2 }), fc.boolean())
  .map(([resumes, context, nags]) => ({
    finish: (n) => resumes[n],
    context,
    ...(nags ? { nudge: (_command: string, times: number) => (times % 3 === 0 ? `${times} times the same` : undefined) } : {}),
    deny: (_command, times) => (nags && times > 4 ? "Refused: the same call again." : undefined),
  }));

describe("a simulated model", () => {
  it("answers the same for the same task and seed, each request by itself and in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5000), fc.constantFrom("default", "careless"), anyTalk, async (seed, profile, talk) => {
        const { requests, replies } = await converse(model(seed, { profile }), talk);
        const again = model(seed, { profile });
        for (const i of [...requests.keys()].reverse()) {
          const request = structuredClone(requests[i]);
          if (!request) continue;
          const place = { lane: "other", ordinal: 99, attempt: 7 };
          expect(await again.call(request, { place, signal: new AbortController().signal })).toEqual(replies[i]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("plays its whole plan, calls of one step in one turn, when nothing goes wrong", async () => {
    const { commands, replies, solved } = await converse(model(1, { profile: "perfect" }));
    expect(commands).toEqual(plan.steps.flatMap((step) => step.calls.map((call) => call.args["command"])));
    expect(replies.map((reply) => reply.calls.length)).toEqual([2, 1, 1, 1, 0]);
    expect(solved).toBe(true);
  });

  it("never ends by itself in a wrong way without a drawn fault, nor rightly with a fatal one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100_000), async (seed) => {
        const drawn = drawFaults(profileOf("careless"), { task: "report", seed, plan });
        expect((await converse(model(seed, { profile: "careless" }))).solved).toBe(drawn.length === 0);
      }),
    );
  });

  it("goes wrong as often as its rates say", () => {
    const runs = 4000;
    for (const name of profileNames) {
      const profile = profileOf(name);
      if (profile.draws === "one") continue;
      const drawn = Array.from({ length: runs }, (_, seed) => drawFaults(profile, { task: `t${seed % 7}`, seed, plan }));
      for (const fault of faults) {
        const rate = drawn.filter((each) => each.includes(fault)).length / runs;
        // Four standard errors: the draws are fixed, so this fails for a changed rate and never by chance.
        expect(Math.abs(rate - profile.rates[fault]), `${name} ${fault}`).toBeLessThanOrEqual(
          4 * Math.sqrt((profile.rates[fault] * (1 - profile.rates[fault])) / runs),
        );
      }
    }
  });

  it("passes about half of such tasks bare, and visibly more with a harness that names the facts", async () => {
    const share = async (talk: Talk): Promise<number> => {
      const runs = await Promise.all(Array.from({ length: 400 }, (_, seed) => converse(model(seed), talk)));
      return runs.filter((run) => run.solved).length / runs.length;
    };
    const bare = await share({});
    expect(bare).toBeGreaterThan(0.45);
    expect(bare).toBeLessThan(0.6);
    const gate = [
      "out/report.txt does not exist, and no check was run after the last edit. You ended on an intention: nothing was done.",
      "Run the tests: nothing was run after the last edit.",
    ];
    const helped = await share({
      finish: (n) => gate[n],
      nudge: (_command, times) => (times === 3 ? "The same call failed 3 times in a row." : undefined),
    });
    expect(helped).toBeGreaterThan(bare + 0.15);
    expect(helped).toBeLessThan(0.95);
  });
});

describe("what the harness says", () => {
  it("is heeded with a chance of at most 0.7, whatever it says", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...faults), fc.nat(5), (message, fault, ignored) => {
        expect(heedChance(message, fault, ignored)).toBeLessThanOrEqual(0.7);
      }),
    );
    expect(Math.max(...Object.values(heed))).toBeLessThanOrEqual(0.7);
  });

  it("is heeded as often as stated: facts far more than reminders", async () => {
    const heeded = async (message: (i: number) => string): Promise<number> => {
      const seed = seedWith("skips-check");
      const runs = await Promise.all(
        Array.from({ length: 600 }, (_, i) => converse(model(seed), { finish: (n) => (n === 0 ? message(i) : undefined) })),
      );
      return runs.filter((run) => run.solved).length / runs.length;
    };
    const facts = await heeded((i) => `Finding ${i}: no test was run after the last edit.`);
    const questions = await heeded((i) => `Question ${i}. Were all tests run?`);
    expect(Math.abs(facts - heed.fact)).toBeLessThan(0.08);
    expect(facts).toBeLessThanOrEqual(0.75);
    expect(Math.abs(questions - heed.prose)).toBeLessThan(0.08);
  });

  it("makes it look once more after honest work, and only once", async () => {
    const { commands, replies } = await converse(model(1, { profile: "perfect" }), {
      finish: (n) => (n < 2 ? "Are you sure?" : undefined),
    });
    expect(commands.slice(-2)).toEqual(["grep good out/report.txt", "grep good out/report.txt"]);
    expect(replies).toHaveLength(8);
  });

  it("tells a finding from a question", () => {
    expect(statesFact("out.txt does not exist.", "claims-unwritten-file")).toBe(true);
    expect(statesFact("Does every file exist, or is one missing?", "claims-unwritten-file")).toBe(false);
    expect(statesFact("Have a nice day.", "claims-unwritten-file")).toBe(false);
  });
});

describe("as a provider it", () => {
  it("says everywhere that it is simulated", async () => {
    expect(model(1).identity).toMatchObject({ provider: "sim", name: "default", simulated: true, priceTable: "simulated" });
  });

  it("counts tokens that grow with the conversation, the part before the last turn as cached", async () => {
    const { replies } = await converse(model(1, { profile: "perfect" }));
    const usages = replies.map((reply) => reply.usage);
    for (const [i, usage] of usages.entries()) {
      const before = usages[i - 1];
      expect(usage.cached).toBe(before?.input ?? 0);
      expect(usage.input).toBeGreaterThan(before?.input ?? 0);
      expect(usage.output).toBeGreaterThan(0);
    }
    expect(replies.every((reply) => reply.costUsd !== null && reply.costUsd > 0 && reply.activeMs > 0 && reply.activeMs < 2000)).toBe(true);
  });

  it("calls only tools that are there", async () => {
    const other = planSchema.parse({
      ...plan,
      steps: [{ calls: [{ tool: "write", args: { path: "x" } }, bash("ls")] }, { calls: [{ tool: "edit", args: {} }] }],
    });
    const make = createSimulatedModel({ plan: other, task: "report", seed: 1, profile: "perfect" });
    expect((await converse(make)).replies.flatMap((reply) => reply.calls.map((call) => call.name))).toEqual(["bash"]);
    expect((await converse(model(1), {}, [])).replies).toMatchObject([{ calls: [], stop: "end" }]);
  });

  it("refuses a task without a plan, and a profile that is not there, in a sentence", () => {
    expect(() => createSimulatedModel({ plan: undefined, task: "t", seed: 1 })).toThrow(
      /Task t has no solution\/plan\.yaml: the simulated model cannot play it; use --model/,
    );
    expect(() => model(1, { profile: "perfct" })).toThrow(
      'There is no simulated model "sim/perfct"; there are sim/default, sim/careless, sim/perfect, sim/varied, sim/one-fault, and sim/<fault>',
    );
  });

  it("stops at once when its signal is aborted", async () => {
    const request: ModelRequest = { system: [], messages: [userMessage("x")], tools: [], params: { maxOutputTokens: 1 } };
    const call = model(1).call(request, { place: { lane: "main", ordinal: 0, attempt: 0 }, signal: AbortSignal.abort(new Error("over")) });
    await expect(call).rejects.toThrow("over");
  });
});

describe("behind the text protocol it", () => {
  const inText = (seed: number, profile = "default"): Model => withTextProtocol(model(seed, { profile, protocol: "text" }));

  it("writes one fenced command a turn and ends without one", async () => {
    const { commands, replies, solved } = await converse(inText(1, "perfect"));
    expect(commands).toEqual(plan.steps.flatMap((step) => step.calls.map((call) => call.args["command"])));
    expect(replies.map((reply) => reply.calls.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(replies.every((reply) => reply.message.content.every((part) => part.type === "text"))).toBe(true);
    expect(solved).toBe(true);
  });

  it("goes wrong, hears and mends as it does natively", async () => {
    const bare = await Promise.all(Array.from({ length: 150 }, (_, seed) => converse(inText(seed))));
    const native = await Promise.all(Array.from({ length: 150 }, (_, seed) => converse(model(seed))));
    expect(bare.map((run) => run.solved)).toEqual(native.map((run) => run.solved));
    const refused = await firstSolved((wording) =>
      converse(inText(seedWith("repeats-failing-call")), {
        deny: (_command, times) => (times >= 4 ? `(${wording}) Refused: the same call failed ${times} times.` : undefined),
      }),
    );
    expect(refused).toBeDefined();
    const edits = inText(seedWith("edits-one-file-again-and-again"));
    expect(await firstSolved((wording) => converse(edits, { nudge: editNudge(wording) }))).toBeDefined();
  });
});

describe("a draw", () => {
  it("is the same for the same words and even over [0, 1)", () => {
    expect(draw("a", 1)).toBe(draw("a", 1));
    const drawn = Array.from({ length: 2000 }, (_, i) => draw("even", i));
    for (let tenth = 0; tenth < 10; tenth++) expect(drawn.filter((value) => Math.floor(value * 10) === tenth).length).toBeGreaterThan(140);
  });
});
