import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf } from "../../harness/contract/messages.ts";
import { localContext } from "../../middleware/local-context.ts";
import { createScript } from "../../middleware/local-context/script.ts";
import { runFixture } from "../../testing.ts";
import { needs } from "../needs.ts";
import { bash, say, workspace, type Workspace } from "./workspace.ts";

const create = (o: object = {}) => localContext.create(localContext.options.parse(o));
const told = async (o: { files?: Record<string, string>; space?: Workspace; options?: object }) => {
  const space = o.space ?? workspace(o.files);
  const run = await runFixture({ middleware: [create(o.options)], script: [say("DONE")], exec: space.exec, tools: space.tools });
  return { run, text: run.interventions.find((one) => one.change === "message")?.text ?? "" };
};

describe("local-context", () => {
  it("tells the model before its first call where it is, and what is in the folder", async () => {
    const { run, text } = await told({
      files: { "package.json": '{"scripts":{"test":"node --test"}}', "package-lock.json": "{}", "src/sum.ts": "", "src/deep/a/b.ts": "" },
      options: { tools: ["sh", "surely-not-here"] },
    });
    expect(text).toMatch(/Working folder: \/\S+forge-workspace-/);
    expect(text).toContain("Languages: TypeScript (1 file)");
    expect(text).toContain("Package manager: npm");
    expect(text).toContain("Test command: npm test");
    expect(text).toContain("Installed: sh\nNot installed: surely-not-here");
    expect(text.split("Files:\n")[1]?.split("\n")).toEqual([
      "package-lock.json",
      "package.json",
      "src/",
      "src/deep/",
      "src/sum.ts",
      "src/deep/a/",
    ]);
    const first = run.requests[0]?.messages.map((message) => textOf(message.content));
    expect(first).toEqual(["Do it.", text]);
    expect((await run.replay()).exact).toBe(true);
  });

  it("finds a Python project's tests, whatever runner is there", async () => {
    const { text } = await told({ files: { "app.py": "", "tests/test_app.py": "" } });
    expect(text).toMatch(/Test command: (pytest|python3 -m pytest|python3 -m unittest)\n/);
  });

  it.skipIf(needs("git"))("says branch, number of changes and last commits, and leaves the index as it was", async () => {
    const space = workspace({ "a.txt": "1" });
    const before = space.exec(
      "git init -q -b trunk . && git -c user.name=a -c user.email=a@b add . && git -c user.name=a -c user.email=a@b commit -qm 'Begin here' && touch b.txt a.txt && cksum .git/index",
    );
    const { text } = await told({ space });
    expect(text).toMatch(/Git: branch trunk, 1 uncommitted; last commits: [0-9a-f]{7,} Begin here\n/);
    expect(space.exec("cksum .git/index")).toMatchObject({ stdout: (before as { stdout: string }).stdout });
  });

  it("stays within its bytes, and the list of files gives way first", async () => {
    const files = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`a-rather-long-name-for-a-file-${i}-ü.py`, ""]));
    const { text } = await told({ files, options: { entries: 400 } });
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(2048);
    expect(text).toMatch(/Files \(\d+ shown, there are more\):/);
    expect(text).toContain("Languages: Python (400 files)");
  });

  it("lists no more entries than asked, and no deeper", async () => {
    const { text } = await told({ files: { "a/b/c/d.txt": "", "a/x.txt": "", "z.txt": "" }, options: { entries: 2, depth: 2 } });
    expect(text.split("more):\n")[1]).toBe("a/\nz.txt");
  });

  it("goes on without a context when the script times out before it said anything, and an event says so", async () => {
    const run = await runFixture({ middleware: [create()], script: [say("DONE")], exec: () => ({ status: "timeout" }) });
    expect(run.interventions).toMatchObject([{ change: "no local context", why: "the script did not finish in 15000 ms" }]);
    expect(run.result.outcome).toEqual({ type: "done" });
  });

  it("uses what a script cut short had printed, and says to the model and in the trace that it is not all", async () => {
    const run = await runFixture({
      middleware: [create()],
      script: [say("DONE")],
      exec: () => ({ status: "timeout", stdout: "@cwd /app\n@present git\n" }),
    });
    expect(run.interventions).toMatchObject([
      { change: "local context incomplete" },
      { change: "message", text: expect.stringContaining("/app") as unknown },
    ]);
    expect(run.interventions[1]?.text).toContain("cut short");
  });

  it("looks for no hidden tests: it asks about nothing outside the working folder", () => {
    const script = createScript({ depth: 3, entries: 60, tools: ["git"] });
    expect(script).not.toMatch(/\/tests|\/solution|\/logs|\/oracle/);
    const absolute = [...script.matchAll(/(?<=[\s'"=])\/[a-z]\S*/g)].map((match) => match[0]);
    expect(absolute.filter((path) => !path.startsWith("/dev/null"))).toEqual([]);
  });

  it("lists nothing when the working folder is the root of the file system, where a verifier's folders would be in sight", () => {
    const script = createScript({ depth: 1, entries: 60, tools: [] });
    const { stdout } = spawnSync("sh", ["-c", script], { cwd: "/", encoding: "utf8" });
    expect(stdout).toContain("@cwd /\n");
    expect(stdout).toContain("@end");
    expect(stdout).not.toContain("@file");
  });

  it("runs where there is neither git nor awk nor find, and still says what it can", () => {
    const bin = mkdtempSync(join(tmpdir(), "forge-bin-"));
    onTestFinished(() => rmSync(bin, { recursive: true }));
    for (const name of ["grep", "head", "sort", "sed", "cat"])
      symlinkSync(spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim(), join(bin, name));
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", createScript({ depth: 3, entries: 60, tools: ["git"] })], {
      cwd: tmpdir(),
      encoding: "utf8",
      env: { PATH: bin },
    });
    expect(stdout).toContain("@absent git\n");
    expect(stdout).toContain("@end");
    expect(stderr).toBe("");
  });

  it("cleans what file names could say to the model", async () => {
    const { text } = await told({ files: { "a\u001b[31m\rb.txt": "" } });
    expect(text).toContain("a?[31m?b.txt");
  });

  it("looks once", async () => {
    let asked = 0;
    const run = await runFixture({
      middleware: [create()],
      script: [bash("true"), bash("true"), say("DONE")],
      exec: (command) => (command.includes("@%s") && asked++, "@cwd /app\n@end \n"),
    });
    expect(run.result.outcome.type).toBe("done");
    expect(asked).toBe(1);
  });
});
