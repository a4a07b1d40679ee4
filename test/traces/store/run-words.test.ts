import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../../cli/program.ts";
import { runFixture } from "../../../testing.ts";
import { runWords } from "../../../traces/store/run-words.ts";
import { said } from "../../cli/said.ts";
import { writeRun } from "../write-run.ts";

describe("the word that names a run", () => {
  const run = (folder: string, start: string) => ({ folder, start });
  it("is as short as it can be, shared by copies, and none of what cannot be read", () => {
    const words = runWords([run("a", "12345678"), run("b", "12345abc"), run("c", "9876dcba"), run("copy of c", "9876dcba"), run("d", "")]);
    expect([...words]).toEqual([
      ["a", "123456"],
      ["b", "12345a"],
      ["c", "9876"],
      ["copy of c", "9876"],
    ]);
  });
});

describe("a run in the list", () => {
  const root = mkdtempSync(join(tmpdir(), "forge-words-"));
  const before = process.cwd();
  beforeAll(async () => {
    const { events } = await runFixture({ script: [{ text: "a needle" }] });
    for (const folder of ["jobs/one/run", "other/run"]) writeRun(join(root, folder), events);
    process.chdir(root);
  });
  afterAll(() => {
    process.chdir(before);
    rmSync(root, { recursive: true, force: true });
  });
  const forge = async (line: string): Promise<string> => {
    const args = line.split(" ");
    const { out } = await said(async () => {
      await (await createProgram(args[0])).parseAsync(args, { from: "user" });
      return 0;
    });
    return out;
  };

  it.each([
    ["", /^Read one: forge (traces show [0-9a-f]{4,})$/m],
    [" other", /^Read one: forge (traces show other\/[0-9a-f]{4,})$/m],
  ])("is shown by the command that the list ends with: forge traces list%s", async (where, line) => {
    const [, show = ""] = line.exec(await forge(`traces list${where}`)) ?? [];
    expect(await forge(show)).toContain("a needle");
  });
});
