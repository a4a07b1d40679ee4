import { mkdir, mkdtemp, rm, symlink, writeFile, chmod } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { deltaBetween } from "../../../../evals/trial/keep/diff-trees.ts";
import { readTree, treeHash, type Tree } from "../../../../harness/sandbox/workspace/tree.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

type Content = string | { link: string } | { mode: number; text: string };

/** A folder with these files; a name that ends with `/` is a folder. */
async function folderWith(content: Record<string, Content>): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), "forge-delta-"));
  made.push(top);
  for (const [path, value] of Object.entries(content)) {
    const at = join(top, path);
    await mkdir(path.endsWith("/") ? at : dirname(at), { recursive: true });
    if (path.endsWith("/")) continue;
    if (typeof value === "string") await writeFile(at, value);
    else if ("link" in value) await symlink(value.link, at);
    else {
      await writeFile(at, value.text);
      await chmod(at, value.mode);
    }
  }
  return top;
}
const treeWith = async (content: Record<string, Content>): Promise<Tree> => readTree(await folderWith(content));

describe("what an agent changed", () => {
  it("has no link that turns back behind a name, which may be a link itself and lead anywhere", async () => {
    const before = await treeWith({ "keep.txt": "1" });
    const after = await treeWith({
      "keep.txt": "1",
      p: { link: "." },
      "result.txt": { link: "p/p/../../logs/verifier/reward.txt" },
      t: { link: "p/p/../../tests" },
      "fine/up": { link: "../keep.txt" },
    });
    const delta = deltaBetween(before, after, "/app");
    expect(delta.links.map(({ path }) => path).toSorted()).toEqual(["fine/up", "p"]);
    expect(JSON.stringify(delta.refused)).toMatch(/result\.txt.*"?t"?|"t".*result\.txt/);
  });

  it("is what it wrote, removed and linked, and nothing that stayed as it was", async () => {
    const before = await treeWith({
      "same.txt": "1",
      "changed.txt": "1",
      "gone.txt": "1",
      "gone/a/b.txt": "1",
      sh: { mode: 0o644, text: "x" },
    });
    const after = await treeWith({
      "same.txt": "1",
      "changed.txt": "2",
      "new/a.txt": "1",
      "new/link": { link: "../same.txt" },
      sh: { mode: 0o755, text: "x" },
    });
    expect(deltaBetween(before, after, "/app")).toEqual({
      removed: ["gone", "gone.txt"],
      written: ["changed.txt", "new", "new/a.txt", "sh"],
      links: [{ path: "new/link", target: "../same.txt" }],
      refused: [],
    });
  });

  it("removes what changed its type before it writes", async () => {
    const before = await treeWith({ "a/deep/file": "1", b: "1", c: { link: "b" } });
    const after = await treeWith({ a: "now a file", "b/": "", c: { link: "a" } });
    expect(deltaBetween(before, after, "/app")).toMatchObject({
      removed: ["a", "b", "c"],
      written: ["a", "b"],
      links: [{ path: "c", target: "a" }],
    });
  });

  it("does not include links that leave the tree, relative or absolute, but those that stay", async () => {
    const none = await treeWith({});
    const after = await treeWith({
      up: { link: "../etc/passwd" },
      "a/up": { link: "../../tests/test.sh" },
      root: { link: "/" },
      near: { link: "/application/x" },
      in: { link: "/app/x" },
      "a/in": { link: "../x" },
    });
    const { links, refused } = deltaBetween(none, after, "/app");
    expect(links.map(({ path }) => path)).toEqual(["a/in", "in"]);
    expect(refused).toHaveLength(4);
  });

  it("leaves an unchanged link alone, wherever it leads", async () => {
    const tree = await treeWith({ python: { link: "/usr/bin/python3" } });
    expect(deltaBetween(tree, tree, "/app")).toEqual({ removed: [], written: [], links: [], refused: [] });
  });

  it("does not include pipes, nor names that are not text", async () => {
    const top = await folderWith({ "a.txt": "1" });
    execFileSync("mkfifo", [join(top, "pipe")]);
    await writeFile(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0x41])]), "x");
    const after = await readTree(top);
    expect(deltaBetween(await treeWith({}), after, "/app")).toMatchObject({
      written: ["a.txt"],
      refused: [expect.stringContaining("pipe"), expect.any(String)],
    });
  });
});

describe("the hash of a tree", () => {
  it("changes with a path, a mode, a content and a link's target, and not with a repository's own files", async () => {
    const base = { "a.txt": "1", l: { link: "a.txt" } };
    const hash = async (content: Record<string, Content>) => treeHash(await treeWith(content));
    const hashes = await Promise.all([
      hash(base),
      hash({ ...base, "a.txt": "2" }),
      hash({ ...base, "a.txt": { mode: 0o755, text: "1" } }),
      hash({ ...base, l: { link: "b.txt" } }),
      hash({ ...base, "b/": "" }),
    ]);
    expect(new Set(hashes).size).toBe(5);
    expect(await hash({ ...base, ".git/index": "x", ".gitignore": "y" })).toBe(await hash({ ...base, ".gitignore": "y" }));
  });
});
