import { lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built, cleanUp, emptyFolder, forge } from "./forge.ts";

beforeAll(built, 180_000);
afterAll(cleanUp);

const generate = (cwd: string, ...more: string[]) =>
  forge(["task", "generate", "--family", "group-totals", "--level", "easy", "--seeds", "1", ...more], { cwd });

describe("the folder of forge task generate and init", () => {
  it("may be a link to an empty one, which stays a link", async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "real"));
    symlinkSync("real", join(cwd, "link"));
    expect((await generate(cwd, "--out", "link")).code).toBe(0);
    expect([lstatSync(join(cwd, "link")).isSymbolicLink(), readdirSync(join(cwd, "real"))]).toEqual([true, ["group-totals-easy-0001"]]);
  });

  it.each([
    ["a link to nothing", "astray", "error: astray is a link to nowhere, which is not there. Make that folder, or name another place.\n"],
    ["an empty name", "", "error: The name of the new folder is empty. Name one that does not exist yet, or is empty.\n"],
  ])("is refused where it is %s", async (_, out, stderr) => {
    const cwd = emptyFolder();
    symlinkSync("nowhere", join(cwd, "astray"));
    expect(await generate(cwd, "--out", out)).toEqual({ code: 2, stdout: "", stderr });
    expect(await forge(["task", "init", out], { cwd })).toEqual({ code: 2, stdout: "", stderr });
    expect(readdirSync(cwd)).toEqual(["astray"]);
  });
});
