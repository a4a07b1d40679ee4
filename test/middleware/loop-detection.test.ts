import { z } from "zod";
import { describe, expect, it } from "vitest";
import type { ToolMessage } from "../../harness/contract/messages.ts";
import { textOf } from "../../harness/contract/messages.ts";
import { middleware } from "../../index.ts";
import { loopDetection } from "../../middleware/loop-detection.ts";
import { runFixture, type FixtureTool, type ScriptedReply } from "../../testing.ts";
import { bash, say, write } from "./workspace.ts";

const create = (o: object = {}) => loopDetection.create(loopDetection.options.parse(o));
const times = <T>(n: number, one: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => one(i));

const tools: Record<string, FixtureTool> = {
  bash: ({ args }) => {
    const command = String(args["command"]);
    if (command === "test") return { text: "1 passed", effects: { edited: [], check: { command, passed: true } } };
    if (command === "fail") return { status: "error", text: "ValueError: no digit in line 7\nexit code 1" };
    return command === "clock" ? `answer ${Math.random()}` : `said ${command.trim()}`;
  },
  write: ({ args }) => ({ text: "written", effects: { edited: [String(args["path"])] } }),
  bash_output: () => "still running",
};

async function loop(script: ScriptedReply[], options: object = {}) {
  const run = await runFixture({ middleware: [create(options)], script: [...script, say("DONE")], tools });
  const statuses =
    run.requests.at(-1)?.messages.flatMap((message) => (message.role === "tool" ? [(message as ToolMessage).status] : [])) ?? [];
  return { run, statuses, said: run.interventions.map((one) => `${one.change}: ${one.why}`) };
}

describe("loop-detection of edits", () => {
  it("nudges at the fifth edit of one file and asks for another approach at the twelfth, in the middle of the work", async () => {
    const { run, said, statuses } = await loop(times(12, (i) => write(i % 2 ? "./src//a.py" : "src/a.py", `${i}`)));
    expect(said).toEqual(["inject: 5 edits of src/a.py", "inject: 12 edits of src/a.py"]);
    expect(statuses.every((status) => status === "ok")).toBe(true);
    const sixth = run.requests[5]?.messages.at(-1);
    expect(sixth?.role).toBe("user");
    expect(textOf(sixth?.content ?? [])).toContain("src/a.py has been edited 5 times");
    expect((await run.replay()).exact).toBe(true);
  });

  it("counts edits through the shell as well, and no caches", async () => {
    const script = times(6, (i) => bash(`sed ${i}`));
    const edits: FixtureTool = () => ({ effects: { edited: ["a.py", "__pycache__/a.pyc"] } });
    const run = await runFixture({ middleware: [create()], script: [...script, say("DONE")], tools: { bash: edits } });
    expect(run.interventions.map((one) => one.why)).toEqual(["5 edits of a.py"]);
  });

  it("starts from nothing again when a check passes", async () => {
    const four = (from: number) => times(4, (i) => write("a.py", `${from + i}`));
    expect((await loop([...four(0), bash("test"), ...four(4)])).said).toEqual([]);
    expect(
      (await loop([...times(5, (i) => write("a.py", `${i}`)), bash("test"), ...times(5, (i) => write("a.py", `${i}`))])).said,
    ).toHaveLength(2);
  });

  it("keeps files apart", async () => {
    expect((await loop(times(8, (i) => write(`${i % 2}.py`, `${i}`)))).said).toEqual([]);
  });
});

describe("loop-detection of repeated calls", () => {
  it("warns at the third identical call with the same answer, and refuses the fourth, that one only", async () => {
    const { said, statuses } = await loop([...times(4, () => bash("ls")), bash("pwd"), say("DONE")]);
    expect(said).toEqual([
      expect.stringContaining("inject: this call was made 3 times"),
      expect.stringContaining("refused a repeated call"),
    ]);
    expect(statuses).toEqual(["ok", "ok", "ok", "denied", "ok"]);
  });

  it("sees through the order of keys and white space", async () => {
    const call = (args: Record<string, string>) => ({ calls: [{ name: "bash", args }] });
    const { statuses } = await loop([
      call({ command: "ls", b: "1" }),
      call({ b: "1", command: "ls " }),
      call({ command: " ls", b: "1" }),
      call({ b: "1", command: "ls" }),
    ]);
    expect(statuses.at(-1)).toBe("denied");
  });

  it("leaves alone what makes progress: another answer, or an edit in between", async () => {
    expect((await loop(times(6, () => bash("clock")))).said).toEqual([]);
    expect((await loop(times(10, (i) => (i % 2 ? write(`${i}.py`, "") : bash("ls"))))).said).toEqual([]);
  });

  it("leaves polling alone, and tools that are exempt", async () => {
    expect((await loop(times(6, () => bash("sleep 5; cat log")))).said).toEqual([]);
    expect((await loop(times(6, () => ({ calls: [{ name: "bash_output", args: { id: "1" } }] })))).said).toEqual([]);
    expect(
      (
        await loop(
          times(6, () => bash("ls")),
          { exempt: ["bash"] },
        )
      ).said,
    ).toEqual([]);
  });

  it("looks back over no more calls than the window", async () => {
    const spread = times(4, (i) => [bash("ls"), bash(`a${i}`), bash(`b${i}`), bash(`c${i}`)]).flat();
    expect((await loop(spread)).said).toEqual([]);
    expect((await loop(spread, { window: 16 })).said).toHaveLength(2);
  });

  it("lets a refused call through again after four refusals in a row, so that it can never wedge a run", async () => {
    const { statuses } = await loop(times(10, () => bash("ls")));
    expect(statuses).toEqual(["ok", "ok", "ok", "denied", "denied", "denied", "denied", "ok", "denied", "denied"]);
  });

  it("is set back by a passing check", async () => {
    const { said } = await loop([bash("ls"), bash("ls"), bash("test"), bash("ls"), bash("ls")]);
    expect(said).toEqual([]);
  });

  it("counts calls made side by side in their order: each sees the ones before it, none is refused for one that is still running", async () => {
    const { statuses, said } = await loop([{ calls: times(5, () => ({ name: "bash", args: { command: "ls" } })) }, bash("ls")]);
    expect(statuses).toEqual(["ok", "ok", "ok", "ok", "ok", "denied"]);
    expect(said).toEqual([expect.stringContaining("made 3 times"), expect.stringContaining("refused")]);
  });
});

it("says nothing about a call that another middleware refused, and counts it not", async () => {
  const refuser = middleware("refuser", "1", z.strictObject({}), () => ({
    async tool(call, next) {
      if (call.args["command"] !== "no") return next(call);
      return { status: "denied", content: [], effects: { edited: [] } };
    },
  })).create({});
  const script = [...times(3, () => bash("ls")), ...times(6, () => bash("no")), say("DONE")];
  const run = await runFixture({ middleware: [create(), refuser], script, tools });
  expect(run.interventions.filter((one) => one.name === "loop-detection")).toHaveLength(1);
});

describe("loop-detection of cycles", () => {
  it.each([2, 3, 4, 5])("of %i calls: warns when the third round is complete, refuses what would complete the fourth", async (length) => {
    const { said, statuses } = await loop(times(4 * length, (i) => bash(`step ${i % length}`)));
    expect(said).toEqual([
      expect.stringContaining(`inject: the same ${length} calls were made 3 times`),
      expect.stringContaining(`refused a repeated call: the same ${length} calls were made 3 times`),
    ]);
    expect(statuses.lastIndexOf("denied")).toBe(4 * length - 1);
  });

  it("takes no cycle of six, none when cycles are off, and none that makes progress", async () => {
    expect(
      (
        await loop(
          times(24, (i) => bash(`step ${i % 6}`)),
          { window: 2 },
        )
      ).said,
    ).toEqual([]);
    expect(
      (
        await loop(
          times(8, (i) => bash(`step ${i % 2}`)),
          { cycle: false, repeatWarn: 0, repeatBlock: 0 },
        )
      ).said,
    ).toEqual([]);
    expect(
      (
        await loop(
          times(8, (i) => bash(i % 2 ? "clock" : "step")),
          { repeatWarn: 3, window: 2 },
        )
      ).said,
    ).toEqual([]);
  });
});

describe("loop-detection of the same error", () => {
  it("warns when it comes up again after something else was tried, whatever its line number", async () => {
    const failing: FixtureTool = ({ args }) => ({ status: "error", text: `ValueError: bad value in line ${String(args["command"])}` });
    const run = await runFixture({ middleware: [create()], script: [bash("1"), bash("22"), say("DONE")], tools: { bash: failing } });
    expect(run.interventions.map((one) => one.why)).toEqual(["the same error 2 times"]);
  });

  it("refuses the identical call after it has failed twice in a row", async () => {
    const { statuses, said } = await loop(times(3, () => bash("fail")));
    expect(statuses).toEqual(["error", "error", "denied"]);
    expect(said).toEqual(["inject: the same error 2 times", expect.stringContaining("failed 2 times in a row")]);
  });

  it("lets it be tried again when something has changed", async () => {
    const { statuses } = await loop([bash("fail"), bash("fail"), write("a.py", "1"), bash("fail")]);
    expect(statuses.at(-1)).toBe("error");
  });

  it("does not take searches without a match for the same error", async () => {
    const none: FixtureTool = () => ({ status: "error", text: "Command exited with code 1" });
    const run = await runFixture({
      middleware: [create()],
      script: [bash("grep a"), bash("grep b"), bash("grep c"), say("DONE")],
      tools: { bash: none },
    });
    expect(run.interventions).toEqual([]);
  });
});
