import { createWriteStream, existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifestText } from "../../../evals/archive/archive-format.ts";
import { parseSums, sumsText } from "../../../harness/archive/sha256-sums.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { removeScratch, scratch } from "../bench-fixture.ts";
import { failing, says, verify, writeEntries, type Header } from "./archive-fixture.ts";

afterAll(removeScratch);

let folder = "";
let path = "";
beforeAll(async () => {
  folder = await scratch();
  path = join(folder, "hostile.tar.gz");
});

type Entry = readonly [Header, Buffer | string];

/** The head of an archive that declares these files, and as many bytes as it likes. */
function headOf(files: readonly { path: string; sha256: string }[], bytes: number, job = "j"): Entry[] {
  const sums = sumsText(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  const manifest = manifestText({
    v: 1,
    kind: "forge-job",
    job,
    forgeVersion: "0.1.0",
    files: files.length,
    bytes,
    sums: sha256(sums),
    signer: null,
    leftOut: [],
    table: {},
  });
  return [
    [{ name: "j/manifest.json" }, manifest],
    [{ name: "j/SHA256SUMS" }, sums],
  ];
}
const named = (names: readonly string[], content = "{}"): { path: string; sha256: string }[] =>
  names.map((name) => ({ path: name, sha256: sha256(content) }));

/** An archive that names `declared` and holds `entries`. */
async function hostile(declared: readonly string[], entries: readonly Entry[], bytes = 1000): Promise<string> {
  await writeEntries(path, [...headOf(named(declared), bytes), ...entries]);
  const verification = await verify(path);
  expect(failing(verification)).toEqual(["archive"]);
  return says(verification, "archive");
}

describe("an archive that is hostile", () => {
  it.each([
    "../outside.json",
    "/etc/outside",
    "trials/../../outside",
    "trials/a/../b/1/result.json",
    "blobs/..",
    "./config.json",
    "config.json/",
    "trials//b/1/result.json",
  ])("writes nothing to %j, even if it names that file", async (name) => {
    expect(await hostile([name], [[{ name: `j/${name}` }, "{}"]])).toMatch(/a job has no file there|which is no file|does not name/);
    expect(await hostile([name], [[{ name }, "{}"]])).toMatch(/does not name|which is no file/);
    expect(existsSync(join(folder, "outside.json"))).toBe(false);
  });

  it.each([
    ["symlink", { type: "symlink", linkname: "/etc/passwd" }],
    ["link", { type: "link", linkname: "j/config.json" }],
    ["folder", { type: "directory" }],
    ["pipe", { type: "fifo" }],
    ["device", { type: "character-device", devmajor: 1, devminor: 5 }],
  ] as const)("makes no %s", async (_, header) => {
    expect(await hostile(["config.json"], [[{ name: "j/config.json", ...header }, ""]])).toMatch(/which is no file/);
  });

  it("may hold no file twice, none that is not named, and all that are", async () => {
    const entry = (name: string): Entry => [{ name: `j/${name}` }, "{}"];
    expect(await hostile(["config.json", "lock.json"], [entry("config.json"), entry("config.json")])).toMatch(/twice/);
    expect(await hostile(["config.json"], [entry("config.json"), entry("lock.json")])).toMatch(/does not name/);
    expect(await hostile(["config.json"], [entry("config.json"), entry("config.json")])).toMatch(/twice/);
    expect(await hostile(["config.json", "lock.json"], [entry("lock.json")])).toMatch(/lacks/);
    expect(await hostile(["config.json", "lock.json"], [entry("config.json")])).toMatch(/ends before "lock.json"/);
    expect(await hostile(["odd.json"], [entry("odd.json")])).toMatch(/a job has no file there/);
    expect(
      await hostile(
        ["trials/a/b/1/attempt-1/record.json/x", "trials/a/b/1/attempt-1/record.json"],
        [entry("trials/a/b/1/attempt-1/record.json"), entry("trials/a/b/1/attempt-1/record.json/x")],
      ),
    ).toMatch(/cannot be unpacked/);
  });

  it("that unpacks to more than is allowed is refused before it is unpacked, and one that lies about it while it is", async () => {
    await writeEntries(path, headOf(named(["journal.jsonl"]), 10e9));
    await expect(verify(path)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/10\.0 GB.*1\.0 GB.*--max-size/) as unknown,
    });
    const zeros = Buffer.alloc(20_000_000);
    const lies = await hostile(["journal.jsonl"], [[{ name: "j/journal.jsonl" }, zeros]], 100);
    expect(lies).toMatch(/20000000 bytes, more than/);
    expect((await stat(path)).size).toBeLessThan(100_000);
    const attempt = "trials/a/b/1/attempt-1";
    for (const name of ["config.json", ...["delta.json", "steps.json", "steps/one/delta.json"].map((one) => `${attempt}/${one}`)])
      expect(await hostile([name], [[{ name: `j/${name}` }, Buffer.alloc(70_000_000)]], 900e6), name).toMatch(
        /more than such a file may have/,
      );
  });

  it("that goes on without end is left early", async () => {
    function* endless(): Generator<Buffer> {
      for (let i = 0; i < 200; i += 1) yield Buffer.alloc(1_000_000);
    }
    await pipeline(Readable.from(endless()), createGzip({ level: 1 }), createWriteStream(path));
    const before = process.memoryUsage().rss;
    expect(failing(await verify(path))).toEqual(["archive"]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  it("whose head is none is refused", async () => {
    const manifest = String(headOf([], 0)[0]?.[1]);
    const heads: [RegExp, Entry[]][] = [
      [/ends before its manifest/, []],
      [/where manifest.json should be/, [[{ name: "j/config.json" }, "{}"]]],
      [/where manifest.json should be/, [[{ name: "j/manifest.json" }, Buffer.alloc(70_000_000)]]],
      [/is not the manifest/, [[{ name: "j/manifest.json" }, "{"]]],
      [/is not the manifest/, [[{ name: "j/manifest.json" }, "[".repeat(100_000)]]],
      [/not UTF-8/, [[{ name: "j/manifest.json" }, Buffer.from([0xff, 0xfe])]]],
      [/fails its own digest/, [[{ name: "j/manifest.json" }, manifest.replace("0.1.0", "0.1.1")]]],
      [/fails its own digest/, [[{ name: "j/manifest.json" }, `${manifest} `]]],
      [/The archive's folder is/, [[{ name: "k/manifest.json" }, manifest]]],
      [/ends before its SHA256SUMS/, [[{ name: "j/manifest.json" }, manifest]]],
      [
        /is not the one that the manifest names/,
        [
          [{ name: "j/manifest.json" }, manifest],
          [{ name: "j/SHA256SUMS" }, "x\n"],
        ],
      ],
    ];
    for (const [reason, entries] of heads) {
      await writeEntries(path, entries);
      expect(says(await verify(path), "archive")).toMatch(reason);
    }
    const later = { v: 2 as const, kind: "forge-job" };
    await writeEntries(path, [[{ name: "j/manifest.json" }, manifestText(later as unknown as Parameters<typeof manifestText>[0])]]);
    await expect(verify(path)).rejects.toMatchObject({ exitCode: 3, message: expect.stringMatching(/format 2/) as unknown });
  });

  it("whose headers carry more than Forge writes is refused", async () => {
    await writeEntries(path, [...headOf(named([]), 0)]);
    const clean = await verify(path);
    expect(failing(clean)).toEqual(["lock"]);
    for (const header of [{ mtime: new Date(1000) }, { uid: 1 }, { mode: 0o755 }, { uname: "me" }, { pax: { comment: "hidden" } }]) {
      const [first, second] = headOf(named([]), 0) as [Entry, Entry];
      await writeEntries(path, [[{ ...first[0], ...header }, first[1]], second]);
      expect(says(await verify(path), "archive")).toMatch(/not as Forge writes one/);
    }
  });

  it("is no reason to trust a file of another kind", async () => {
    for (const content of [
      await readFile(process.execPath).then((bytes) => bytes.subarray(0, 100_000)),
      gzipSync(Buffer.alloc(10_000)),
      gzipSync(""),
    ]) {
      await writeFile(path, content);
      expect(failing(await verify(path))).toEqual(["archive"]);
    }
  });
});

describe("SHA256SUMS", () => {
  it("keeps every name, as sha256sum writes it", () => {
    const names = ["a b", "back\\slash", "line\nbreak", "re\rturn", "\\n", "ünï", "tail "].toSorted();
    const files = names.map((name) => ({ path: name, sha256: sha256(name) }));
    expect([...parseSums(sumsText(files))]).toEqual(files.map((file) => [file.path, file.sha256]));
    expect(sumsText([{ path: "line\nbreak", sha256: "0".repeat(64) }])).toBe(`\\${"0".repeat(64)}  line\\nbreak\n`);
  });

  it.each([
    "x",
    "x\n",
    `${"0".repeat(64)} a\n`,
    `${"0".repeat(64)}  \n`,
    `${"0".repeat(64)}  b\n${"0".repeat(64)}  a\n`,
    `${"0".repeat(64)}  a\n${"0".repeat(64)}  a\n`,
    `\\${"0".repeat(64)}  a\n`,
  ])("that reads %j is refused", (text) => {
    expect(() => parseSums(text)).toThrow(/SHA256SUMS/);
  });
});
