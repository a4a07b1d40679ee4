import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import tar from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extractInto, listHostFolder, packFolder } from "../../../../harness/sandbox/workspace/pack-folder.ts";
import { SandboxPathError } from "../../../../harness/sandbox/sandbox.ts";

describe("an archive from a sandbox", () => {
  let base: string;
  let folder: string;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "archive-"));
    folder = await mkdtemp(join(base, "into-"));
    await writeFile(join(base, "victim"), "untouched");
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  type Entry = Parameters<tar.Pack["entry"]>[0] & { content?: string };
  const unpack = (entries: Entry[], limits?: { maxBytes: number; maxEntries: number }) => {
    const pack = tar.pack();
    for (const { content, ...header } of entries) pack.entry(header, content ?? "");
    pack.finalize();
    return extractInto(Readable.from(pack), folder, (name) => name, limits);
  };

  it.each<[string, Entry[]]>([
    ["an absolute path", [{ name: "/etc/forge-test", content: "x" }]],
    ["a path that climbs out", [{ name: "../victim", content: "x" }]],
    ["a path that climbs out later", [{ name: "a/../../victim", content: "x" }]],
    [
      "a file below a link",
      [
        { name: "a", type: "symlink", linkname: ".." },
        { name: "a/victim", content: "x" },
      ],
    ],
    [
      "a file over a link",
      [
        { name: "a", type: "symlink", linkname: "../victim" },
        { name: "a", content: "x" },
      ],
    ],
    [
      "a folder over a link, then a file in it",
      [
        { name: "a", type: "symlink", linkname: ".." },
        { name: "a", type: "directory" },
        { name: "a/victim", content: "x" },
      ],
    ],
    [
      "a hard link to the outside",
      [
        { name: "a", type: "link", linkname: "../victim" },
        { name: "a", content: "x" },
      ],
    ],
    [
      "a hard link through a link",
      [
        { name: "a", type: "symlink", linkname: "../victim" },
        { name: "b", type: "link", linkname: "a" },
      ],
    ],
  ])("cannot reach outside its folder by %s", async (_, entries) => {
    await expect(unpack(entries)).rejects.toThrow(/refused|EEXIST|ELOOP|EINVAL|ENOTDIR/);
    expect(await readFile(join(base, "victim"), "utf8")).toBe("untouched");
    expect((await readdir(base)).length).toBe(2);
  });

  it("skips devices and drops set-id bits", async () => {
    await unpack([
      { name: "null", type: "character-device", devmajor: 1, devminor: 3 },
      { name: "tool", content: "x", mode: 0o6755 },
      { name: "closed", type: "directory", mode: 0o500 },
      { name: "closed/in", content: "y" },
    ]);
    expect((await listHostFolder(folder)).map(({ path, mode }) => [path, mode])).toEqual([
      ["closed", 0o700],
      ["closed/in", 0o644],
      ["tool", 0o755],
    ]);
  });

  it("is refused when it is larger than allowed", async () => {
    await expect(unpack([{ name: "a", content: "12345" }], { maxBytes: 4, maxEntries: 9 })).rejects.toThrow(SandboxPathError);
    await expect(unpack([{ name: "b" }, { name: "c" }], { maxBytes: 4, maxEntries: 1 })).rejects.toThrow(/more than 1 entries/);
  });

  it("is the same bytes for the same files", async () => {
    await writeFile(join(folder, "b"), "2");
    await writeFile(join(folder, "a"), "1");
    await symlink("a", join(folder, "link"));
    const bytes = async () => Buffer.concat(await Readable.from(packFolder(folder, await listHostFolder(folder))).toArray());
    const first = await bytes();
    await writeFile(join(folder, "a"), "1");
    expect((await bytes()).equals(first)).toBe(true);
  });
});
