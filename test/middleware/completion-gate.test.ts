import { describe, expect, it } from "vitest";
import { textOf } from "../../harness/contract/messages.ts";
import { completionGate } from "../../middleware/completion-gate.ts";
import { runFixture, type ScriptedReply } from "../../testing.ts";
import { bash, say, workspace, write } from "./workspace.ts";

const create = (o: object = {}) => completionGate.create(completionGate.options.parse(o));

async function gate(
  script: ScriptedReply[],
  o: { task?: string; files?: Record<string, string>; options?: object; protocol?: "text" } = {},
) {
  const space = workspace(o.files);
  const run = await runFixture({
    middleware: [create(o.options)],
    script,
    task: o.task ?? "Do it.",
    exec: space.exec,
    tools: space.tools,
    ...(o.protocol ? { model: { protocol: o.protocol } } : {}),
  });
  return { run, refusals: run.interventions.filter((one) => one.change === "resume").map((one) => one.text ?? "") };
}

/** Whether a finish is refused after an edit of a.py and this command, which is not executed but said to have gone well. */
async function refusedAfter(command: string): Promise<boolean> {
  const tools = { bash: () => "fine", write: () => ({ effects: { edited: ["a.py"] } }) };
  const script = [write("a.py", ""), bash(command), say("DONE"), say("DONE")];
  const run = await runFixture({ middleware: [create({ maxBlocks: 1 })], script, tools });
  return run.interventions.length > 0;
}

/** A passing and a failing test of the project, by a runner that effects recognise. */
const passing = { "package.json": '{"scripts":{"test":"true"}}' };
const failing = { "package.json": '{"scripts":{"test":"false"}}' };

describe("completion-gate, mode evidence", () => {
  it("refuses a finish when nothing was run since the last edit, and the model goes on with the message in front of it", async () => {
    const { run, refusals } = await gate([write("a.py", "print(1)"), say("DONE"), bash("python3 a.py || sh -c 'echo 1'"), say("DONE")]);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toContain("Nothing was run since the last edit of a.py.");
    expect(textOf(run.requests[2]?.messages.at(-1)?.content ?? [])).toBe(refusals[0]);
    expect(run.result.spent.turns).toBe(4);
    expect((await run.replay()).exact).toBe(true);
  });

  it.each([
    ["pip install pytest"],
    ["python3 -m pip install pytest"],
    ["npm install --save-dev vitest"],
    ["apt-get install -y pytest && which pytest"],
    ["echo pytest passed"],
    ["pytest --version"],
    ["cat a.py"],
    ["grep pytest a.py # pytest"],
    ["cd . && ls -la"],
  ])("does not take `%s` for a run of the work", async (command) => {
    expect(await refusedAfter(command)).toBe(true);
  });

  it.each([
    ["pytest -q"],
    ["python3 a.py"],
    ["cd src && timeout 10 ./a.py | head -3"],
    ["uv run a.py"],
    ["for i in 1 2; do python3 a.py $i; done"],
  ])("takes `%s` for a run of the work", async (command) => {
    expect(await refusedAfter(command)).toBe(false);
  });

  it("takes a run in the editing call itself, after the edit", async () => {
    const { refusals } = await gate([bash("cat > a.sh <<'EOF'\necho one > two\nEOF\nsh a.sh"), bash("cat two"), say("DONE")]);
    expect(refusals).toEqual([]);
  });

  it("lets data be looked at instead of run, but not code", async () => {
    expect((await gate([write("out.csv", "a,b"), bash("wc -l out.csv"), say("DONE")])).refusals).toEqual([]);
    expect((await gate([write("out.py", "1"), bash("wc -l out.py"), say("DONE"), say("DONE"), say("DONE")])).refusals).toHaveLength(2);
  });

  it("does not take the command that wrote a file for a look at it", async () => {
    const { refusals } = await gate([bash("mkdir -p o; sort in.txt > o/out.txt"), say("DONE"), bash("cat o/out.txt"), say("DONE")], {
      files: { "in.txt": "b\na\n" },
    });
    expect(refusals).toHaveLength(1);
  });

  it("lets a question be answered without any work, prose be written, and a deleted file be gone", async () => {
    expect((await gate([say("It is a parser for CSV.")], { task: "What does this project do?" })).refusals).toEqual([]);
    expect((await gate([write("README.md", "# Hi"), say("DONE")])).refusals).toEqual([]);
    expect((await gate([bash("rm a.py"), say("DONE")], { files: { "a.py": "" } })).refusals).toEqual([]);
  });

  it("refuses while the last check failed, and is content when it passes", async () => {
    const { refusals } = await gate(
      [bash("npm test"), say("DONE"), bash(`echo '${passing["package.json"]}' > package.json`), bash("npm test"), say("DONE")],
      {
        files: failing,
      },
    );
    expect(refusals).toEqual([expect.stringContaining("The last check failed: npm test")]);
  });

  it("asks for the check again when files were edited after it passed", async () => {
    const { refusals } = await gate([bash("npm test"), write("a.js", "1"), bash("node a.js"), say("DONE"), bash("npm test"), say("DONE")], {
      files: passing,
    });
    expect(refusals).toEqual([expect.stringContaining("Run it again: npm test")]);
  });

  it("with requirePassAfterLastEdit off asks for no run, but still minds a failed check", async () => {
    const options = { requirePassAfterLastEdit: false };
    expect((await gate([write("a.py", "1"), say("DONE")], { options })).refusals).toEqual([]);
    expect((await gate([bash("npm test"), say("DONE"), say("DONE"), say("DONE")], { files: failing, options })).refusals).toHaveLength(2);
  });

  it("refuses when a file that the task asks for is not there, wherever below the folder it may lie", async () => {
    const task = "Sort in.txt into out.txt.";
    const { refusals } = await gate([say("DONE"), bash("sort in.txt > out.txt"), bash("cat out.txt"), say("DONE")], {
      task,
      files: { "in.txt": "" },
    });
    expect(refusals).toEqual([expect.stringContaining("The task asks for out.txt, and there is no such file.")]);
    expect((await gate([say("DONE")], { task, files: { "in.txt": "", "deep/er/out.txt": "" } })).refusals).toEqual([]);
  });

  it("refuses when the answer claims a file that is not there; a mention is no claim", async () => {
    const { refusals } = await gate([
      say("I wrote the summary to summary.md. DONE"),
      say("The summary would belong into summary.md."),
      say("DONE"),
    ]);
    expect(refusals).toEqual([expect.stringContaining("Your answer says that summary.md was written")]);
    expect((await gate([say("I wrote summary.md.")], { options: { claimCheck: false } })).refusals).toEqual([]);
  });

  it("refuses an answer that ends on an intention", async () => {
    const { refusals } = await gate([say("I see. Let me now run the tests."), say("DONE")]);
    expect(refusals).toEqual([expect.stringContaining("announces a next step")]);
  });

  it("works with the text protocol, where DONE alone is the finish", async () => {
    const { refusals } = await gate([bash("echo 1 > a.py"), say("DONE"), bash("python3 a.py"), say("```\nDONE\n```")], {
      protocol: "text",
    });
    expect(refusals).toHaveLength(1);
  });

  it("gives way after maxBlocks refusals", async () => {
    const { run, refusals } = await gate([write("a.py", "1"), say("DONE"), say("DONE"), say("DONE")], { options: { maxBlocks: 2 } });
    expect(refusals).toHaveLength(2);
    expect(run.result.outcome).toEqual({ type: "done" });
  });

  it("refuses nothing for want of facts: a sandbox that does not answer", async () => {
    const run = await runFixture({
      middleware: [create()],
      script: [say("DONE")],
      task: "Write out.txt.",
      exec: () => ({ status: "timeout" }),
    });
    expect(run.interventions).toEqual([]);
  });

  it("quotes paths for the shell", async () => {
    const commands: string[] = [];
    await runFixture({
      middleware: [create()],
      script: [{ calls: [{ name: "write", args: {} }] }, say("DONE")],
      tools: { bash: () => "", write: () => ({ effects: { edited: ["it's;rm -rf x.py"] } }) },
      exec: (command) => (commands.push(command), ""),
      limits: { turns: 2 },
    });
    expect(commands.join()).toContain(`[ -e 'it'\\''s;rm -rf x.py' ]`);
  });

  it("asks for no run where there is no shell to run anything", async () => {
    const run = await runFixture({
      middleware: [create()],
      script: [{ calls: [{ name: "write", args: {} }] }, say("DONE")],
      tools: { write: () => ({ effects: { edited: ["a.py"] } }) },
    });
    expect(run.interventions).toEqual([]);
  });
});

describe("completion-gate, mode checklist", () => {
  it("does not only add a message: the run goes on, and the questions are asked once", async () => {
    const { run, refusals } = await gate([say("DONE"), bash("true"), say("DONE")], { options: { mode: "checklist" } });
    expect(refusals).toHaveLength(1);
    expect(refusals[0]?.split("\n").filter((line) => /^\d\. /.test(line))).toHaveLength(5);
    expect(run.result.spent.turns).toBe(3);
  });

  it("asks the questions that were configured", async () => {
    const { refusals } = await gate([say("DONE"), say("DONE")], { options: { mode: "checklist", items: ["Is it fast?"] } });
    expect(refusals[0]).toContain("1. Is it fast?");
  });

  it("is silent when off", async () => {
    expect((await gate([write("a.py", "1"), say("DONE")], { options: { mode: "off" } })).refusals).toEqual([]);
  });
});
