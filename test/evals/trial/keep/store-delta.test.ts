import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { applyDelta } from "../../../../evals/trial/keep/carry-into-sandbox.ts";
import { collectPath } from "../../../../evals/trial/keep/collect-changes.ts";
import { fetchTree } from "../../../../evals/trial/keep/fetch-tree.ts";
import { blobPath, blobsFolder, keepDelta } from "../../../../evals/trial/keep/store-delta.ts";
import { parseKeptDelta } from "../../../../evals/trial/keep/delta-file.ts";
import { restoreDelta } from "../../../../evals/trial/keep/lay-out-delta.ts";
import { createInPlaceSandbox } from "../../../../harness/sandbox/in-place-sandbox.ts";
import { readTree, treeHash } from "../../../../harness/sandbox/workspace/tree.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});
async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-keep-"));
  made.push(folder);
  return folder;
}
async function add(top: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), text);
  }
}

/** An attempt of a job whose agent turned `before` into what `change` makes of it. */
async function attempt(job: string, before: Readonly<Record<string, string>>, change: (workdir: string) => Promise<void>, name = "a") {
  const workdir = await scratch();
  await add(workdir, before);
  const sandbox = await createInPlaceSandbox(workdir, { kind: "local" });
  try {
    const trace = `trials/${name}/plain/1/attempt-1`;
    const folder = join(job, trace);
    await mkdir(folder, { recursive: true });
    const pristine = await fetchTree(sandbox, workdir, folder, async (fetched) => fetched);
    await change(workdir);
    const collected = await collectPath({
      sandbox,
      path: workdir,
      at: workdir,
      pristine,
      folder: join(folder, "delta", "0"),
      maxBytes: 1024 ** 3,
      maxEntries: 100_000,
    });
    const record = await keepDelta([collected], { folder, trace });
    return { record, folder, workdir };
  } finally {
    await sandbox.close();
  }
}

/** Does to a fresh copy of `before` what was kept. */
async function again(job: string, folder: string, before: Readonly<Record<string, string>>): Promise<string> {
  const fresh = await scratch();
  await add(fresh, before);
  const sandbox = await createInPlaceSandbox(fresh, { kind: "local" });
  try {
    const delta = parseKeptDelta(await readFile(join(folder, "delta.json"), "utf8"), "delta.json");
    for (const one of await restoreDelta(delta, blobsFolder(job), await scratch())) await applyDelta(sandbox, fresh, one);
    return fresh;
  } finally {
    await sandbox.close();
  }
}
const blobsOf = async (job: string): Promise<string[]> =>
  (await readdir(blobsFolder(job), { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name);

describe("a kept delta", () => {
  it("does the same to a fresh copy: contents, modes, removals, links", async () => {
    const job = await scratch();
    const before = { "a.txt": "1", "gone/deep.txt": "1", "type.txt": "1", "same.txt": "1" };
    const { folder, workdir, record } = await attempt(job, before, async (at) => {
      await add(at, { "a.txt": "2", "new/b.bin": new Uint8Array([0, 255, 10, 13]), "new/run.sh": "#!/bin/sh\n" });
      await chmod(join(at, "new/run.sh"), 0o755);
      await rm(join(at, "gone"), { recursive: true });
      await rm(join(at, "type.txt"));
      await mkdir(join(at, "type.txt"));
      await symlink("../a.txt", join(at, "new/link"));
    });
    expect(record).toMatchObject({ kept: true, files: 3 });
    const fresh = await again(job, folder, before);
    expect(treeHash(await readTree(fresh))).toBe(treeHash(await readTree(workdir)));
    expect(await readlink(join(fresh, "new/link"))).toBe("../a.txt");
    expect((await stat(join(fresh, "new/run.sh"))).mode & 0o777).toBe(0o755);
  });

  it("does the same whatever the names: newlines, quotes, dashes, spaces, and 255 bytes", async () => {
    const name = fc
      .oneof(fc.stringMatching(/^[-a-z\n'"$` *\\]{1,20}$/), fc.constant("é".repeat(127)))
      .filter((one) => !/^\.{1,2}$/.test(one));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), async (names) => {
        const job = await scratch();
        const before = Object.fromEntries(names.map((one, i) => [i % 2 ? one : `${one}/in`, "1"]));
        const { folder, workdir } = await attempt(job, before, async (at) => {
          for (const [i, one] of names.entries()) {
            if (i % 2 === 0) await rm(join(at, one), { recursive: true });
            else await writeFile(join(at, one), `2${one}`);
          }
          await add(at, { [`more/${names[0]}`]: "3" });
        });
        expect(treeHash(await readTree(await again(job, folder, before)))).toBe(treeHash(await readTree(workdir)));
      }),
      { numRuns: 5 },
    );
  });

  it("is stored once where trials of a job left the same", async () => {
    const job = await scratch();
    const leave = (text: string) => async (at: string) => add(at, { "big.txt": "x".repeat(100_000), "own.txt": text });
    await attempt(job, {}, leave("1"), "a");
    await attempt(job, {}, leave("2"), "b");
    const { record } = await attempt(job, {}, leave("1"), "c");
    expect(record).toEqual({ kept: true, paths: [expect.any(String)], files: 2, bytes: 100_001 });
    expect(await blobsOf(job)).toHaveLength(3);
  });

  it("is left out as a whole where it is too large, and the record says so", async () => {
    const job = await scratch();
    const { record, folder } = await attempt(job, {}, async (at) =>
      add(at, { "big.bin": new Uint8Array(65 * 1024 ** 2), "small.txt": "1" }),
    );
    expect(record).toEqual({ kept: false, why: "What the agent changed was not kept: it has more than 64 MiB." });
    expect(await readdir(folder)).toEqual([]);
    expect(await readdir(job)).toEqual(["trials"]);
  });

  it("has no name that is not text, no pipe and no link that leaves, and says so", async () => {
    const job = await scratch();
    const { folder, record } = await attempt(job, {}, async (at) => {
      await writeFile(Buffer.concat([Buffer.from(`${at}/`), Buffer.from([0xff, 0xfe])]), "1");
      await symlink("/etc/passwd", join(at, "out"));
      await symlink("a/../../..", join(at, "back"));
    });
    expect(record).toMatchObject({ kept: true, files: 0 });
    const { paths } = parseKeptDelta(await readFile(join(folder, "delta.json"), "utf8"), "delta.json");
    expect(paths[0]?.refused).toHaveLength(3);
    expect(paths[0]?.links).toEqual([]);
  });
});

describe("a delta from somebody else's job", () => {
  const digest = createHash("sha256").update("1").digest("hex");
  const delta = (change: object) =>
    JSON.stringify({
      v: 1,
      paths: [{ path: "/app", base: "/app", removed: [], folders: [], files: [], links: [], refused: [], ...change }],
    });

  it.each([
    ["a path with ..", { files: [{ path: "../x", mode: 0o644, digest }] }],
    ["an absolute path", { removed: ["/etc"] }],
    ["nothing as a path", { removed: [""] }],
    ["a folder with .. inside", { folders: [{ path: "a/../../b", mode: 0o755 }] }],
    ["a digest that is a path", { files: [{ path: "x", mode: 0o644, digest: "../../../etc/passwd" }] }],
    ["a link that leaves", { links: [{ path: "x", target: "/tests" }] }],
    ["a base that turns back", { base: "/app/../tests", links: [{ path: "x", target: "y" }] }],
    ["set-id bits beyond", { files: [{ path: "x", mode: 0o70000, digest }] }],
  ])("is refused for %s", (_, change) => {
    expect(() => parseKeptDelta(delta(change), "delta.json")).toThrow(/delta\.json (is not a delta|has a link)/);
  });

  it("is damaged where a blob is missing, has other bytes, or paths stand in each other's way", async () => {
    const blobs = await scratch();
    const files = [{ path: "x", mode: 0o644, digest }];
    const restore = async (text: string) => restoreDelta(parseKeptDelta(text, "delta.json"), blobs, await scratch());
    await expect(restore(delta({ files }))).rejects.toThrow("is missing");
    await add(dirname(blobPath(blobs, digest)), { [digest]: "2" });
    await expect(restore(delta({ files }))).rejects.toThrow("does not have the bytes");
    await add(dirname(blobPath(blobs, digest)), { [digest]: "1" });
    await expect(restore(delta({ files: [...files, { path: "x/y", mode: 0o644, digest }] }))).rejects.toThrow("cannot be laid out");
    await expect(restore(delta({ files }))).resolves.toHaveLength(1);
  });
});
