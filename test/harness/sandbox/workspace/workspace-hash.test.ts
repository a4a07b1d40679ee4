import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { readTree, treeHash } from "../../../../harness/sandbox/workspace/tree.ts";
import { hashCopy, hashFolder } from "../../../../harness/sandbox/workspace/workspace-hash.ts";
import { draws, needs } from "../../../needs.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const top = mkdtempSync(join(tmpdir(), "forge-hash-"));
  made.push(top);
  add(top, files);
  return top;
}
function add(top: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
async function hashOf(folder: string): Promise<string> {
  const { hash, ...rest } = await hashFolder(folder);
  if (hash === null) throw new Error(JSON.stringify(rest));
  return hash;
}

describe("the workspace hash of a folder", () => {
  it("is that of its tree, and changes with a path, a mode, a content and a link's target", async () => {
    const top = folderWith({ "a.txt": "1", "b/c.txt": "2" });
    const seen = [await hashOf(top)];
    expect(seen[0]).toBe(treeHash(await readTree(top)));
    for (const change of [
      () => writeFileSync(join(top, "a.txt"), "2"),
      () => chmodSync(join(top, "a.txt"), 0o755),
      () => symlinkSync("a.txt", join(top, "link")),
      () => mkdirSync(join(top, "empty")),
    ]) {
      change();
      seen.push(await hashOf(top));
    }
    expect(new Set(seen).size).toBe(5);
  });

  it("does not cover .forge, nor .git wherever it lies", async () => {
    const files = { "a.txt": "1", "sub/b.txt": "2" };
    const plain = await hashOf(folderWith(files));
    expect(await hashOf(folderWith({ ...files, ".forge/runs/x": "1", "sub/.git/index": "x" }))).toBe(plain);
    expect(await hashOf(folderWith({ ...files, ".gitignored": "1" }))).not.toBe(plain);
  });

  it("follows no link, so that what lies behind one neither counts nor costs", async () => {
    const outside = folderWith({ "secret.txt": "1" });
    const top = folderWith({ "a.txt": "1" });
    symlinkSync(outside, join(top, "out"));
    symlinkSync(".", join(top, "loop"));
    const before = await hashOf(top);
    writeFileSync(join(outside, "secret.txt"), "2");
    expect(await hashOf(top)).toBe(before);
  });

  it("is not taken beyond its limits, and says which", async () => {
    const top = folderWith({ "a.txt": "1", "b.txt": "22", "c/d.txt": "333" });
    const limits = { entries: 20_000, bytes: 256 * 1024 ** 2, ms: 5_000 };
    expect(await hashFolder(top, { ...limits, entries: 3 })).toEqual({
      hash: null,
      why: "The workspace hash was not taken: it has more than 3 entries.",
    });
    expect(await hashFolder(top, { ...limits, ms: 0 })).toMatchObject({
      hash: null,
      why: expect.stringContaining("longer than 0 ms"),
    });
    writeFileSync(join(top, "sparse"), "");
    execFileSync("truncate", ["-s", "300M", join(top, "sparse")]);
    expect(await hashFolder(top)).toMatchObject({ hash: null, why: expect.stringContaining("more than 256 MiB") });
  });
});

describe.skipIf(needs("git"))("the workspace hash of a git repository", () => {
  it("covers what git does not ignore: tracked and untracked files, and tracked ones that a pattern names", async () => {
    const top = folderWith({ ".gitignore": "*.log\nnode_modules/\n", "a.txt": "1", "kept.log": "1" });
    git(top, "init", "-q");
    git(top, "add", "-f", "a.txt", "kept.log", ".gitignore");
    git(top, "commit", "-qm", "first");
    const before = await hashOf(top);
    add(top, { "node_modules/x/index.js": "1", "sub/b.log": "1" });
    rmSync(join(top, "sub"), { recursive: true });
    expect(await hashOf(top)).toBe(before);
    add(top, { "b.log": "1" });
    expect(await hashOf(top)).toBe(before);
    git(top, "commit", "-q", "--allow-empty", "-m", "the repository's own files do not count");
    expect(await hashOf(top)).toBe(before);
    writeFileSync(join(top, "kept.log"), "2");
    const changed = await hashOf(top);
    expect(changed).not.toBe(before);
    add(top, { "new.txt": "1" });
    expect(await hashOf(top)).not.toBe(changed);
  });

  it("is the same for a copy whose ignored files were read too", async () => {
    const top = folderWith({ ".gitignore": "*.log\n", "a.txt": "1", "b.log": "1", "deep/c.log": "1", "deep/d.txt": "1" });
    git(top, "init", "-q");
    expect(await hashCopy(top, await readTree(top))).toEqual({ hash: await hashOf(top) });
  });

  it("of a folder inside a repository obeys the patterns above it, and of an ignored folder covers all", async () => {
    const top = folderWith({ ".gitignore": "*.log\nbuild/\n", "app/a.txt": "1", "build/deep/a.txt": "1" });
    git(top, "init", "-q");
    const before = await hashOf(join(top, "app"));
    add(top, { "app/b.log": "1" });
    expect(await hashOf(join(top, "app"))).toBe(before);
    const inside = await hashOf(join(top, "build", "deep"));
    add(top, { "build/deep/b.log": "1" });
    expect(await hashOf(join(top, "build", "deep"))).not.toBe(inside);
  });

  it("runs no program that the repository names, and takes a broken index for none", async () => {
    const top = folderWith({ ".gitignore": "*.log\n", "a.txt": "1", ".gitattributes": "* filter=x\n" });
    git(top, "init", "-q");
    const clean = await hashOf(top);
    const program = `touch ${join(top, "..", "ran-by-git")}`;
    writeFileSync(
      join(top, ".git", "config"),
      `[core]\n\tfsmonitor = "${program}"\n\thooksPath = .\n[filter "x"]\n\tclean = "${program}"\n`,
    );
    writeFileSync(join(top, ".git", "index"), "DIRC of nothing");
    expect(await hashOf(top)).toBe(clean);
    expect(existsSync(join(top, "..", "ran-by-git"))).toBe(false);
  });

  it("does not depend on names: newlines, quotes, leading dashes and spaces are names like others", async () => {
    const name = fc.stringMatching(/^[-a-z\n'" *?[\]\\!#]{1,12}$/).filter((one) => one !== "." && one !== "..");
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), async (names) => {
        const files = Object.fromEntries(names.map((one) => [`${one}.txt`, one]));
        const top = folderWith({ ...files, ".gitignore": "*.log\n" });
        git(top, "init", "-q");
        const before = await hashOf(top);
        expect(before).toBe(treeHash(await readTree(top)));
        add(top, Object.fromEntries(names.map((one) => [`${one}.log`, one])));
        expect(await hashOf(top)).toBe(before);
      }),
      { numRuns: draws(15) },
    );
  });
});
