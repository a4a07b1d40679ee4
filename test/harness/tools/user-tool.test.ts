import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { importTool } from "../../../harness/config/tools/load-user-tool.ts";
import { tool, type ToolWorkspace } from "../../../harness/contract/tool-definition.ts";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { userTool } from "../../../harness/tools/user-tool.ts";
import { runTool, toolFaults } from "../../../testing.ts";
import { folderWith } from "../config/folder.ts";
import { bench } from "./call-tool.ts";

const given = (run: (args: { path: string }, workspace: ToolWorkspace) => unknown, more: { timeoutMs?: number; readOnly?: boolean } = {}) =>
  tool({
    name: "mine",
    description: "Mine.",
    parameters: z.strictObject({ path: z.string() }),
    run: run as () => string, // what a file in JavaScript may answer
    ...more,
  });
const args = { path: "a.txt" };

describe("a call of a user's tool", () => {
  it("reads, writes and runs commands in the sandbox, and answers with its text", async () => {
    const copy = given(async ({ path }, workspace) => {
      await workspace.writeFile("b.txt", `${await workspace.readFile(path)}${await workspace.readFile("gone")}`);
      const { stdout, exitCode } = await workspace.exec("ls");
      return `${workspace.workdir} ${exitCode} ${stdout}`;
    });
    expect(await runTool(copy, args, { files: { "a.txt": "A" }, exec: (command) => `ran ${command}` })).toEqual({
      status: "ok",
      error: undefined,
      text: "<tool_output>\n/app 0 ran ls\n</tool_output>",
      files: { "a.txt": "A", "b.txt": "Aundefined" },
    });
  });

  it("is checked by its schema before it runs", async () => {
    const { status, error, text } = await runTool(
      given(() => "ran"),
      { path: 3 },
    );
    expect({ status, error }).toEqual({ status: "error", error: "bad_arguments" });
    expect(text).toContain('The call of "mine" was not carried out: argument "path": expected a string, got 3.');
  });

  it("that throws is an observation with file and line", async () => {
    const folder = await folderWith({
      "mine.ts": `import { z } from "zod";
import { boom } from "./boom.ts";
export default { name: "mine", description: "Mine.", parameters: z.looseObject({}), run: async (): Promise<string> => boom() };`,
      "boom.ts": `interface Unused { a: string }

export function boom(): string {
  throw new TypeError("no such thing");
}`,
    });
    const path = join(folder, "mine.ts");
    const { definition, placeOf } = await importTool(path, { "mine.ts": "", "boom.ts": "" });
    const { call } = bench(createFixtureSandbox(), { tools: [userTool(definition, { placeOf })] });
    const { status, error, text } = await call("mine");
    expect({ status, error, text }).toEqual({
      status: "error",
      error: "tool_failed",
      text: '"mine" threw at boom.ts:4: no such thing. Check the arguments or go on without it.',
    });
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [{ text: "x" }, "object"],
  ])("that answers %j is an observation", async (answer, what) => {
    const { error, text } = await runTool(
      given(() => answer),
      args,
    );
    expect({ error, text }).toEqual({
      error: "bad_result",
      text: `"mine" answered ${what} where a text is expected. Check the arguments or go on without it.`,
    });
  });

  it("that hangs is given up when its time is over, and can change nothing afterwards", async () => {
    let later: Promise<unknown> = Promise.resolve();
    const hangs = given(
      (_, workspace) =>
        new Promise(() => {
          workspace.signal.addEventListener(
            "abort",
            () => (later = workspace.writeFile("late.txt", "x").catch((error: Error) => error.message)),
          );
        }),
      { timeoutMs: 5 },
    );
    const run = await runTool(hangs, args);
    expect(run).toMatchObject({
      status: "timeout",
      error: "timeout",
      text: expect.stringContaining("took longer than 5 ms and was given up"),
    });
    expect(await later).toBe("The call of this tool is over.");
    expect(run.files).toEqual({});
  });

  it("ends with its run, whatever it waits for", async () => {
    const over = new AbortController();
    const hangs = given(() => new Promise(() => over.abort(new Error("stop"))));
    await expect(runTool(hangs, args, { signal: over.signal })).rejects.toThrow("stop");
  });

  it("that answers more than a million characters is cut, and capped as any other", async () => {
    const { text } = await runTool(
      given(() => "x".repeat(50_000_000)),
      args,
    );
    expect(text.length).toBeLessThan(31_000);
    expect(text).toContain("The result had 50000000 characters; those after the first 1000000 are lost.");
  });
});

describe("the contract of a tool", () => {
  it("holds for one that does its work", async () => {
    const reads = given(async ({ path }, { readFile }) => (await readFile(path)) ?? "none", { readOnly: true });
    expect(await toolFaults(reads, { args, files: { "a.txt": "A" } })).toEqual([]);
  });

  it("says of each thing that is broken what it is", async () => {
    const writes = given(
      async ({ path }, { writeFile }) => {
        await writeFile(path, "new");
        return 3;
      },
      { readOnly: true },
    );
    expect(await toolFaults({ ...writes, name: "bash" }, { args, files: { "a.txt": "A" } })).toEqual([
      'name: "bash" is a built-in tool\'s; rename yours.',
      'args: "bash" answered number where a text is expected. Check the arguments or go on without it.',
      "readOnly: the call changed a file of the workspace; leave readOnly out.",
    ]);
    expect(await toolFaults({ ...writes, description: "" }, { args })).toEqual(['description: expected a text, got "".']);
  });
});
