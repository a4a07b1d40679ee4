import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { directions } from "../../../tasks/generated/directions.ts";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { families } from "../../../tasks/generated/families.ts";
import { needs } from "../../needs.ts";

type Files = Readonly<Record<string, string>>;

/** So that equal commits have equal hashes. */
const fixed = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "Ada"],
    [`GIT_${who}_EMAIL`, "ada@example.org"],
    [`GIT_${who}_DATE`, "2026-01-05T10:00:00Z"],
  ]),
);

/** The files of a folder with these files after a script was run in it. */
async function afterwards(files: Files, script: string): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), "forge-directions-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content.endsWith("\n") ? content : `${content}\n`);
    }
    await promisify(execFile)("bash", ["-ec", script], { cwd: folder, env: { ...process.env, ...fixed } });
    const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const paths = found.map((entry) => join(entry.parentPath, entry.name)).sort();
    return Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, "utf8")] as const)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The commands that directions give. */
const commands = (text: string): string => [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block).join("");

// What they tell to do is done, by bash, sed and git.
describe.skipIf(needs("git"))("directions", () => {
  const drafts = families.flatMap((family) =>
    Array.from({ length: 4 }, (_, seed) => ({
      title: `${family.name} ${seed}`,
      draft: family.draw(createDraw(family.name, "easy", seed), "easy"),
    })),
  );
  it.concurrent.each(drafts)("of $title, carried out, leave the files and branches that the solution leaves", async ({ draft }) => {
    const { app, build = [], solve, directions: told = "" } = draft;
    const branches = build.length > 0 ? "git for-each-ref > branches; git status --short; rm -r .git" : "";
    const left = (script: string): Promise<Files> => afterwards(app, [...build, script, branches].join("\n"));
    expect(await left(commands(told))).toEqual(await left(solve));
  });

  it.each([
    ["a tab for spaces", "all:\n        cc x\n", "all:\n\tcc x\n"],
    ["quotes, slashes, stars and brackets", "a = 'x/y*[1]^$'\n", "a = \"x/y*[1]^$\\\" & 'z'\n"],
    ["lines at the top", "b\n", "  a\nb\n"],
    ["lines at the end", "a\n", "a\n    b\\n\n\n'c'\n"],
    ["all lines", "a\n", "b\nc\n"],
    ["several places", "a\nb\nc\nd\ne\n", "A\nb\nd\nee\ne\n"],
    ["a word that stands there twice", "if a and a:\n", "if a and b:\n"],
    ["a part of a word", "x = 360\n", "x = 3600\n"],
  ])("mend %s", async (_, before, after) => {
    const told = commands(directions({ file: before }, { file: after }));
    expect(await afterwards({ file: before }, told)).toEqual({ file: after });
  });

  it.each([
    ["a change within a line", "x = 360 * y\n", "x = 3600 * y\n"],
    ["an addition", "a = 1\n\nc = 3\n", "a = 1\nb = 2\n\nc = 3\n"],
    ["an addition before a line that begins like it", "if a:\nif b and c:\n", "if a:\nif b and d:\n    x\nif b and c:\n"],
    ["an addition at the end", "# Changes\n", "# Changes\n\n- one / two & three\n"],
    ["an empty line filled", "a\n\nb\n", "a\nif c:\n    continue\nb\n"],
    ["a line made two", "if a:\n    b\n", "with c:\n    if a:\n    b\n"],
    ["a removal", "a\nb\nbc\n", "a\nbc\n"],
  ])("do no harm when %s is carried out twice", async (_, before, after) => {
    const told = commands(directions({ file: before }, { file: after }));
    expect(await afterwards({ file: before }, told + told)).toEqual({ file: after });
  });
});

describe("directions as a text", () => {
  it("stand at the easy level of every family, and at no other", () => {
    for (const family of families)
      for (const level of ["easy", "medium", "hard"] as const)
        expect(family.draw(createDraw(family.name, level, 3), level).directions !== undefined, `${family.name} ${level}`).toBe(
          level === "easy",
        );
  });

  it("refuse files that are alike", () => {
    expect(() => directions({ file: "a\n" }, { file: "a\n" })).toThrow("There is nothing to be mended.");
  });
});
