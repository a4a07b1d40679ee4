import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../needs.ts";
import { forgeHere } from "../cli/forge-here.ts";
import { cleanUp, emptyFolder, git, jsonLines, listing, put } from "./forge.ts";

afterAll(cleanUp);

const generate = (cwd: string, ...more: string[]) =>
  forgeHere(["task", "generate", "--family", "group-totals", "--level", "easy", "--seeds", "1", ...more], { cwd });

describe("the folder of forge task generate and init", () => {
  it("may be a link to an empty one, which stays a link", async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "real"));
    symlinkSync("real", join(cwd, "link"));
    expect(await generate(cwd, "--out", "link")).toMatchObject({ code: 0, stdout: expect.stringContaining("1 task in link\n") });
    expect([lstatSync(join(cwd, "link")).isSymbolicLink(), readdirSync(join(cwd, "real"))]).toEqual([true, ["group-totals-easy-0001"]]);
  });

  it.each([
    [
      "a link to nothing",
      "astray",
      "error: astray is a link to nowhere, which does not exist. Create that folder, or name another place.\n",
    ],
    ["an empty name", "", "error: The name of the new folder is empty. Name one that does not exist yet, or is empty.\n"],
  ])("is refused where it is %s", async (_, out, stderr) => {
    const cwd = emptyFolder();
    symlinkSync("nowhere", join(cwd, "astray"));
    expect(await generate(cwd, "--out", out)).toEqual({ code: 2, stdout: "", stderr });
    expect(await forgeHere(["task", "init", out], { cwd })).toEqual({ code: 2, stdout: "", stderr });
    expect(readdirSync(cwd)).toEqual(["astray"]);
  });
});

describe("the names and numbers of forge task generate", () => {
  const made = async (...args: string[]): Promise<{ code: number | null; tasks: string[]; stderr: string }> => {
    const { code, stdout, stderr } = await forgeHere(["task", "generate", ...args, "--out", "made", "--json"], { cwd: emptyFolder() });
    const [first] = code === 0 ? jsonLines(stdout) : [];
    return { code, tasks: (first?.["tasks"] ?? []) as string[], stderr };
  };

  it("add up where --family and --level are given several times", async () => {
    const { tasks } = await made("--family", "git-merge", "--family", "git-bisect", "--seeds", "1", "--level", "easy", "--level", "hard");
    expect(tasks.toSorted()).toEqual(["git-bisect-easy-0001", "git-bisect-hard-0001", "git-merge-easy-0001", "git-merge-hard-0001"]);
  });

  it("may have blanks around them, globs with commas of their own, and be there twice", async () => {
    const braces = await made("--family", " git-{bisect,merge} , planted-*,git-merge", "--seeds", "1", "--level", "easy, easy");
    expect(braces.stderr).toBe("");
    expect(braces.tasks.filter((name) => name.startsWith("git-"))).toEqual(["git-bisect-easy-0001", "git-merge-easy-0001"]);
    expect(new Set(braces.tasks).size).toBe(braces.tasks.length);
  });

  it.each([
    [
      "a family that is not there",
      ["--family", "git-merge, {nosuch,other}", "--seeds", "1"],
      /^error: --family: there is no family "\{nosuch,other\}"\. Choose among /,
    ],
    [
      "a seed beyond the last",
      ["--family", "all", "--seeds", "2147483647"],
      /^error: --seeds: expected a whole number from 0 to 999999999, or a range of them such as 1\.\.20, of at most 10000 seeds, got "2147483647"\.\n$/,
    ],
  ])("are refused where they name %s", async (_, args, words) => {
    expect(await made(...args)).toEqual({ code: 2, tasks: [], stderr: expect.stringMatching(words) as string });
  });
});

describe.skipIf(needs("git"))("the files of a new task", () => {
  it.each([0o077, 0o002])("have the same modes under umask %o", async (umask) => {
    const cwd = emptyFolder();
    git(cwd, "init", "-q");
    for (const word of ["one", "two"]) {
      put(cwd, "src/deep/it.txt", word);
      put(cwd, "tests/it.test.sh", `grep ${word} src/deep/it.txt\n`);
      git(cwd, "add", "-A");
      git(cwd, "update-index", "--chmod=+x", "tests/it.test.sh");
      git(cwd, "commit", "-q", "-m", `Say ${word}`);
    }
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    for (const args of [
      ["generate", "--family", "group-totals", "--level", "easy", "--seeds", "1", "--out", "new/drawn"],
      ["init", "new/first"],
      ["from-git", ".", "HEAD", "--out", "new/commit", "--check", "sh {tests}", "--untried"],
    ])
      expect(await forgeHere(["task", ...args], { cwd })).toMatchObject({ code: 0 });
    const modes = ["drawn", "first", "commit"].flatMap((name) => {
      const folder = join(cwd, "new", name);
      return ["", ...listing(folder)].map((path) => statSync(join(folder, path)));
    });
    const seen = modes.map((stat) => `${stat.isDirectory() ? "folder" : "file"} ${(stat.mode & 0o777).toString(8)}`);
    expect(new Set(seen)).toEqual(new Set(["folder 755", "file 755", "file 644"]));
  });
});
