import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Tools } from "../../../../harness/contract/ports.ts";
import { runFixture } from "../../../../testing.ts";
import { judgeSteps } from "../../../../traces/replay/tools/judge-steps.ts";
import { equalBy, normalizers } from "../../../../traces/replay/tools/normalizers.ts";
import { reExecute, recordedCalls, type ReExecuted } from "../../../../traces/replay/tools/re-execute.ts";

describe("named normalizers", () => {
  it.each([
    ["in /tmp/tmp.Xa81 now", "in /tmp/tmp.Zq02 now", ["temporary paths"]],
    ["/tmp/pytest-of-root/x.py:3", "/tmp/pytest-of-user/x.py:3", ["temporary paths"]],
    ["-rw-r--r-- 1 root root 4 Nov 22 08:15 plan.txt", "-rw-r--r-- 1 root root 4 Dec  1 23:59 plan.txt", ["times"]],
    ["at 2026-11-22T08:15:00Z", "at 2026-11-23 09:16:01.5+02:00", ["times"]],
    ["Sun Nov 22 08:15:00 UTC 2026", "Mon Nov 23 18:00:59 UTC 2026", ["times"]],
    ["Ran 3 tests in 0.002s", "Ran 3 tests in 1.5s", ["durations"]],
    ["real\t0m0.004s", "real\t0m1.204s", ["durations"]],
    ["started, pid 4711", "started, pid 9", ["pids"]],
    ["[1] 4711", "[1] 4712", ["pids"]],
    ["<object at 0x7f00aa11bb22>", "<object at 0x7f00aa11bb33>", ["addresses"]],
    ["3 tests in 0.1s, pid 4711 ", "3 tests in 0.2s, pid 9 ", ["durations", "pids"]],
    ["the same", "the same", []],
  ])("level %j and %j by %j", (a, b, names) => {
    expect(equalBy(a, b)).toEqual(names);
    expect(equalBy(b, a)).toEqual(names);
  });

  it.each([
    ["4 passed in 0.1s", "5 passed in 0.1s"],
    ["exit code 1", "exit code 2"],
    ["/srv/a.txt", "/srv/b.txt"],
    ["total 8", "total 12"],
    ["version 1.2.3", "version 1.2.4"],
    ["at 08:15", "at"],
    ["size 100 bytes", "size 200 bytes"],
  ])("leave %j and %j apart", (a, b) => {
    expect(equalBy(a, b)).toBeUndefined();
  });

  it("do nothing the second time, and never fail", () => {
    const pieces = fc.constantFrom(
      "/tmp/a1",
      "12:30:01",
      "Nov 22 08:15",
      "0.5s",
      "pid 7",
      "0xdeadbeef",
      " ",
      "\n",
      "2026-01-02",
      "[1] 22",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join(" ")),
        ),
        (text) => {
          for (const { apply } of normalizers) expect(apply(apply(text))).toBe(apply(text));
        },
      ),
    );
  });
});

describe("recorded calls", () => {
  it("are carried out again one after the other, each held against what it gave then, and none after a stop", async () => {
    const calls = ["a", "b"].map((command) => ({ name: "bash", args: { command } }));
    const { events } = await runFixture({ script: [{ calls }, { text: "end" }], exec: (command) => `ran ${command} in /then` });
    const asked: unknown[] = [];
    const tools: Tools = {
      schemas: [],
      readOnly: () => false,
      async call({ args }) {
        asked.push(args["command"]);
        return { status: "ok", content: [{ type: "text", text: "ran a in /now" }], effects: { edited: [] }, activeMs: 0 };
      },
    };
    const expected = (text: string): string => text.replace("/then", "/now");
    const stop = new AbortController();
    const heard: ReExecuted[] = [];
    const o = { signal: stop.signal, expected, onStep: (step: ReExecuted) => void heard.push(step) };
    const steps = await reExecute(recordedCalls(events), tools, o);
    expect(steps.map(({ step, lane, same }) => [step, lane, same])).toEqual([
      [1, "main/1.1", true],
      [2, "main/1.2", false],
    ]);
    expect(heard).toEqual(steps);
    const stopped = reExecute(recordedCalls(events), tools, { ...o, onStep: () => stop.abort(new Error("enough")) });
    await expect(stopped).rejects.toThrow("enough");
    expect(asked).toEqual(["a", "b", "a"]);
  });
});

describe("a step that was carried out several times", () => {
  const step = (recorded: string, now: string): ReExecuted => ({
    step: 1,
    lane: "main/1.1",
    turn: 1,
    call: { id: "a", name: "bash", args: {} },
    reply: { status: "ok", content: [{ type: "text", text: recorded }] },
    now: { status: "ok", content: [{ type: "text", text: now }] },
    same: recorded === now,
    tree: undefined,
    treeNow: undefined,
  });
  const judged = (recorded: string, ...now: string[]) => {
    const [found] = judgeSteps(
      now.map((text) => [step(recorded, text)]),
      now.map(() => (text: string) => text),
    );
    return found && [found.verdict, found.by];
  };

  it("is exact, levelled, different every time in the same way, or nondeterministic", () => {
    expect(judged("a", "a", "a")).toEqual(["exact", []]);
    expect(judged("in 0.1s", "in 0.1s", "in 0.2s")).toEqual(["normalized", ["durations"]]);
    expect(judged("a", "b", "b")).toEqual(["different", []]);
    expect(judged("a", "b", "c")).toEqual(["nondeterministic", []]);
    expect(judged("a", "a", "c")).toEqual(["nondeterministic", []]);
    expect(judged("a", "b in 0.1s", "b in 0.2s")).toEqual(["different", []]);
  });
});
