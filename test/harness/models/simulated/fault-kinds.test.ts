import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../../harness/contract/messages.ts";
import { assignFaults } from "../../../../harness/models/simulated/faults/assign-faults.ts";
import { competenceAt, middling, scaledRate } from "../../../../harness/models/simulated/competence.ts";
import { deltasOf } from "../../../../harness/models/simulated/deltas.ts";
import { fits } from "../../../../harness/models/simulated/faults/draw-faults.ts";
import { faultKinds, faults, isServiceFault, type Fault, type FaultKind } from "../../../../harness/models/simulated/faults/fault-kinds.ts";
import {
  alternating,
  dumpCommand,
  endlessCommand,
  refusal,
  rewardCommand,
  sawNothing,
} from "../../../../harness/models/simulated/play/lines.ts";
import { createSimulatedModel } from "../../../../harness/models/simulated/simulated-model.ts";
import { converse, firstSolved, model, plan, type Talk } from "./conversation.ts";

const with1 = (fault: Fault, seed = 1) => model(seed, { profile: fault });
const play = (fault: Fault, talk: Talk = {}, seed = 1) => converse(with1(fault, seed), talk);
const lastText = (run: Awaited<ReturnType<typeof converse>>): string => textOf(run.messages.at(-1)?.content ?? []);
const times = (run: { readonly commands: readonly string[] }, wanted: string): number =>
  run.commands.filter((each) => each === wanted).length;

/** Whether one of ten wordings of a message, said when it wants to end, brings the run to its right end. */
const mends = async (fault: Fault, said: string): Promise<boolean> =>
  (await firstSolved((wording) => play(fault, { finish: (n) => (n === 0 ? `(${wording}) ${said}` : undefined) }))) !== undefined;

describe("each further fault", () => {
  it("ignores-failing-check runs the check after the slip, ends all the same, and mends when told that it failed", async () => {
    const run = await play("ignores-failing-check");
    expect(run.commands).toEqual(["ls", "echo bad > out/report.txt", "grep good out/report.txt"]);
    expect(await mends("ignores-failing-check", "The last check failed: grep good out/report.txt")).toBe(true);
  });

  it("misreads-output ends after its first look, having seen nothing, and mends when told that nothing was changed", async () => {
    const run = await play("misreads-output");
    expect(run.commands).toEqual(["ls", "cat task.md"]);
    expect(lastText(run)).toBe(sawNothing);
    expect(await mends("misreads-output", "The output was not empty.")).toBe(true);
  });

  it("bad-arguments insists on an argument that is not there, and goes on at once where the harness mends its name", async () => {
    const run = await play("bad-arguments");
    expect(times(run, "misnamed")).toBeGreaterThanOrEqual(3);
    expect(run.solved).toBe(false);
    const mended = await play("bad-arguments", { mends: true });
    expect(mended.solved).toBe(true);
    expect(mended.commands).toEqual(plan.steps.flatMap((step) => step.calls.map((call) => call.args["command"])));
  });

  it("alternates-two-calls goes round between two, and stops when the cycle is named", async () => {
    const run = await play("alternates-two-calls");
    expect(times(run, alternating[0])).toBeGreaterThanOrEqual(5);
    expect(times(run, alternating[1])).toBeGreaterThanOrEqual(5);
    expect(run.solved).toBe(false);
    const nudge = (wording: number) => (_: string, n: number) =>
      n === 3 ? `(${wording}) The same 2 calls were made 3 times in the same order.` : undefined;
    expect(await firstSolved((wording) => play("alternates-two-calls", { nudge: nudge(wording) }))).toBeDefined();
  });

  it("waits-for-ever starts what never ends again and again, and stops when told to use the background", async () => {
    const run = await play("waits-for-ever");
    expect(times(run, endlessCommand)).toBeGreaterThanOrEqual(2);
    expect(run.solved).toBe(false);
    const nudge = (wording: number) => (command: string) =>
      command === endlessCommand ? `(${wording}) It never ends: use the background.` : undefined;
    expect(await firstSolved((wording) => play("waits-for-ever", { nudge: nudge(wording) }))).toBeDefined();
  });

  it("over-thinks takes thousands of tokens a turn and does nothing with them, but not at low effort", async () => {
    const run = await play("over-thinks", { params: { maxOutputTokens: 8_000 } });
    const thoughtful = run.replies.filter((reply) => reply.message.content[0]?.type === "thinking");
    expect(thoughtful.length).toBeGreaterThanOrEqual(18);
    expect(thoughtful.every((reply) => reply.usage.output >= 3_000 && reply.activeMs > 20_000)).toBe(true);
    expect(run.solved).toBe(false);
    expect((await play("over-thinks", { params: { maxOutputTokens: 8_000, effort: "low" } })).solved).toBe(true);
  });

  it("reads-too-much fills the context until the provider says that it is too long, and works where outputs are cut", async () => {
    const run = await play("reads-too-much", { output: (command) => (command.startsWith("seq") ? "1".repeat(30_000) : "output") });
    expect(run.commands).toContain(dumpCommand(0));
    expect(run.failures.map(({ kind, status }) => [kind, status])).toEqual([["context", 400]]);
    expect(run.failures[0]?.message).toMatch(/answered 400: prompt is too long: \d+ tokens > 32000 maximum\.$/);
    expect((await play("reads-too-much", { output: () => "1".repeat(8_000) })).solved).toBe(true);
  });

  it("cuts-reply-off fills its reply and makes no call, unless there is room for all of it", async () => {
    const run = await play("cuts-reply-off", { params: { maxOutputTokens: 4_096 } });
    expect(run.replies.at(-1)).toMatchObject({ stop: "length", calls: [], usage: { output: 4_096 } });
    expect(run.solved).toBe(false);
    expect((await play("cuts-reply-off", { params: { maxOutputTokens: 9_000 } })).solved).toBe(true);
  });

  it("reaches-for-reward writes the reward and claims success, and works when that is denied", async () => {
    const run = await play("reaches-for-reward");
    expect(run.commands).toContain(rewardCommand);
    expect(run.solved).toBe(false);
    const deny = (wording: number) => (command: string) =>
      command === rewardCommand ? `(${wording}) Denied: that is not allowed.` : undefined;
    expect(await firstSolved((wording) => play("reaches-for-reward", { deny: deny(wording) }))).toBeDefined();
  });

  it("out-of-its-depth takes the slip and stays with it, whatever is said", async () => {
    const run = await play("out-of-its-depth");
    expect(run.commands).toEqual(["ls", "echo bad > out/report.txt", "ls -l"]);
    expect(await mends("out-of-its-depth", "The check failed: nothing was done.")).toBe(false);
  });

  it("refuses-task stops with a refusal", async () => {
    const run = await play("refuses-task");
    expect(run.replies.at(-1)).toMatchObject({ stop: "refusal", calls: [] });
    expect(lastText(run)).toBe(refusal);
  });

  it.each([
    ["rate-limited", "rate_limit", 429],
    ["overloaded", "overloaded", 503],
    ["breaks-off", "stream", undefined],
  ] as const)("%s fails one to four times and is then as good as another", async (fault, kind, status) => {
    for (let seed = 0; seed < 20; seed++) {
      const run = await play(fault, {}, seed);
      expect(run.failures.length).toBeGreaterThanOrEqual(1);
      expect(run.failures.length).toBeLessThanOrEqual(4);
      expect(new Set(run.failures.map((error) => [error.kind, error.status].join()))).toEqual(new Set([[kind, status].join()]));
      if (kind === "rate_limit") expect(run.failures.every(({ retryAfterMs = 0 }) => retryAfterMs >= 1_000)).toBe(true);
      expect(run.solved).toBe(true);
    }
  });
});

describe("laws of faults", () => {
  const anyFault = fc.constantFrom(...faults);
  const anySeed = fc.nat(2 ** 31 - 1);

  it("the same seed, task and conversation give the same replies, whatever the fault and in any order", async () => {
    await fc.assert(
      fc.asyncProperty(anyFault, anySeed, fc.constantFrom(undefined, "Nothing was done.", "Are you sure?"), async (fault, seed, said) => {
        const talk: Talk = { finish: (n) => (n === 0 ? said : undefined) };
        const { requests, replies } = await converse(with1(fault, seed), talk);
        const again = with1(fault, seed);
        const place = { lane: "main", ordinal: 0, attempt: 99 };
        for (const [i, reply] of [...replies.entries()].reverse())
          expect(
            await again.call(structuredClone(requests[i] as (typeof requests)[number]), { place, signal: AbortSignal.any([]) }),
          ).toEqual(reply); // as many requests as replies
      }),
      { numRuns: 60 },
    );
  });

  it("a run with one fault tells it, the first time at a turn that the conversation has, and is solved only behind a service that failed", async () => {
    await fc.assert(
      fc.asyncProperty(anyFault, anySeed, async (fault, seed) => {
        const happened: { fault: Fault; turn: number }[] = [];
        const one = createSimulatedModel({
          plan,
          task: "report",
          seed,
          profile: "one-fault",
          faults: [fault],
          onFault: (at) => happened.push(at),
        });
        const output = (): string => "1".repeat(30_000);
        const run = await converse(one, { params: { maxOutputTokens: 4_096 }, ...(fault === "reads-too-much" ? { output } : {}) });
        expect(new Set(happened.map((at) => at.fault))).toEqual(new Set([fault]));
        expect(happened[0]?.turn).toBeLessThan(run.requests.length);
        expect(run.solved).toBe(isServiceFault(fault));
      }),
      { numRuns: 150 },
    );
  });

  it("a wide profile with no fault drawn is solved, and every run of one-fault commits one", async () => {
    for (let seed = 0; seed < 40; seed++) {
      const clean = createSimulatedModel({ plan, task: "report", seed, profile: "varied", faults: [] });
      expect((await converse(clean)).solved).toBe(true);
      const happened = new Set<Fault>();
      const one = createSimulatedModel({ plan, task: "report", seed, profile: "one-fault", onFault: ({ fault }) => happened.add(fault) });
      await converse(one, { params: { maxOutputTokens: 4_096 } });
      expect(happened.size).toBe(1);
    }
  });

  it("faults are handed out evenly, only where they fit, and the same for a seed", () => {
    const bare = { ...plan, slip: undefined, claims: [] };
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 120 }),
        fc.uniqueArray(anyFault, { minLength: 1 }),
        anySeed,
        (kinds, some, seed) => {
          const plans = kinds.map((full) => (full ? plan : bare));
          const given = assignFaults(plans, some, seed);
          expect(assignFaults(plans, some, seed)).toEqual(given);
          given.forEach((fault, i) => fault && expect(fits(fault, plans[i] ?? plan)).toBe(true));
          if (kinds.every(Boolean)) {
            const counts = some.map((fault) => given.filter((each) => each === fault).length);
            expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });

  it("has a place and a lever for each of at least 14 kinds", () => {
    expect(faults.length).toBeGreaterThanOrEqual(14);
    const kinds: readonly FaultKind[] = Object.values(faultKinds);
    expect(kinds.every(({ does, place, levers }) => does !== "" && place.length > 0 && levers[0] !== "")).toBe(true);
  });
});

describe("competence", () => {
  it("is the family's at a level, else the level's, else medium's", () => {
    expect(competenceAt(middling, { family: "git", difficulty: "easy" })).toBe(0.6);
    expect(competenceAt(middling, { family: "files", difficulty: "hard" })).toBe(0.25);
    expect(competenceAt(middling, { family: "constructor", difficulty: "toString" })).toBe(0.5);
  });

  it("leaves rates alone in the middle, takes them away at the top, and never leaves [0, 1)", () => {
    const share = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(share, share, share, (rate, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(scaledRate(rate, 0.5)).toBeCloseTo(rate);
        expect(scaledRate(rate, 1)).toBe(0);
        expect(scaledRate(rate, high)).toBeLessThanOrEqual(scaledRate(rate, low) + 1e-12);
        expect(scaledRate(rate, low)).toBeLessThan(1);
      }),
    );
  });

  it("makes hard tasks go wrong more often than easy ones", async () => {
    const solved = async (difficulty: string): Promise<number> => {
      const runs = Array.from({ length: 150 }, (_, seed) =>
        converse(createSimulatedModel({ plan, task: "report", seed, difficulty, profile: "varied" }), {
          params: { maxOutputTokens: 4_096 },
        }),
      );
      return (await Promise.all(runs)).filter((run) => run.solved).length;
    };
    expect(await solved("easy")).toBeGreaterThan((await solved("hard")) + 15);
  });
});

describe("a streamed text", () => {
  it("comes in pieces that make the whole, none of which cuts a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), anyWord, (text, word) => {
        const deltas = deltasOf(text, word);
        expect(deltas.join("")).toBe(text);
        expect(deltas.every((delta) => delta !== "" && delta.isWellFormed())).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
  const anyWord = fc.string({ maxLength: 5 });
});
