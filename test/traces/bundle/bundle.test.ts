import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import tar from "tar-stream";
import { afterAll, describe, expect, it } from "vitest";
import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import { ForgeError } from "../../../harness/errors.ts";
import { createRedactor } from "../../../harness/secrets/redact-text.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { runFixture } from "../../../testing.ts";
import { rewriteRun } from "../../../traces/bundle/rewrite-run.ts";
import { unpackBundle } from "../../../traces/bundle/unpack-bundle.ts";
import type { MakeRedactor } from "../../../traces/export/redact-events.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { replayTrace, type ReplayVerdict } from "../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { canaries, secretParts } from "../canaries.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { writeRun } from "../write-run.ts";
import { draws } from "../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-bundle-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const fresh = (): string => join(root, `run-${made++}`);

const makeRedactor: MakeRedactor = (onFound) => createRedactor({ secrets: [canaries["environment"] ?? ""], onFound });
const rewrite = (folder: string, to: string, starts = new Map<string, string>()) => rewriteRun(folder, to, { makeRedactor, starts });
const filesOf = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [[join(entry.parentPath, entry.name).slice(folder.length), readFileSync(join(entry.parentPath, entry.name))]] : [],
    ),
  );
const replayed = async (folder: string, middleware: readonly AnyMiddleware[] = []): Promise<ReplayVerdict> =>
  replayTrace(await loadRecording(folder), { assemble: async () => middleware });

async function leakyRun(): Promise<RunEvent[]> {
  const all = Object.values(canaries).join("\n");
  const long = `${"x".repeat(5000)} ${all}`;
  const script = [{ text: `I saw ${all}`, calls: [{ name: "bash", args: { command: `echo '${all}'`, [canaries["github"] ?? ""]: 1 } }] }, { text: long }]; // prettier-ignore
  const { events } = await runFixture({ task: `Use ${all}`, script, exec: () => long });
  return events as RunEvent[];
}

describe("a run rewritten without secrets", () => {
  it("has none of them in any byte, says how many of which kind there were, is whole and replays exactly", async () => {
    const folder = writeRun(fresh(), await leakyRun());
    const before = Buffer.concat([...filesOf(folder).values()]).toString();
    for (const secret of secretParts) expect(before).toContain(JSON.stringify(secret).slice(1, -1));
    const to = fresh();
    const done = await rewrite(folder, to);
    const after = Buffer.concat([...filesOf(to).values()]);
    for (const secret of secretParts) expect(after.includes(secret)).toBe(false);
    expect(Object.keys(done.takenOut)).toEqual(expect.arrayContaining(["known value", "private key", "JSON Web Token", "credential in a URL", "password in a connection string", "AWS key"])); // prettier-ignore
    expect(done).toMatchObject({ changed: true, events: (await verifyTrace(to)).events });
    expect(await replayed(to)).toMatchObject({ exact: true, redacted: true });
    expect((await rewrite(to, fresh())).changed).toBe(false);
  });

  it("is the same bytes where there is nothing to take out, without payloads that nothing names", async () => {
    const { events } = await runFixture({ script: [{ text: "y".repeat(9000) }] });
    const folder = writeRun(fresh(), events);
    const before = filesOf(folder);
    writeFileSync(join(folder, "blobs", "left-over"), "not of this run");
    const to = fresh();
    expect(await rewrite(folder, to)).toMatchObject({ changed: false, takenOut: {} });
    expect(filesOf(to)).toEqual(before);
  });

  it("replays as it did, whatever happened in it", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const secrets = `${canaries["slack"]} and ${canaries["postgres"]}`;
        const { events } = await runFixture({ ...optionsOf(run), task: `With ${secrets}`, files: { "note.txt": secrets } });
        const folder = writeRun(fresh(), events);
        const to = fresh();
        const { changed, takenOut } = await rewrite(folder, to);
        expect(changed && takenOut["Slack token"]).toBeGreaterThan(0);
        const [before, after] = await Promise.all([folder, to].map((one) => replayed(one, optionsOf(run).middleware)));
        expect(after).toEqual({ ...before, redacted: after?.redacted });
        await verifyTrace(to);
      }),
      { numRuns: draws(15) },
    );
  });

  it("is found by a run that went on from it", async () => {
    const parent = writeRun(fresh(), await leakyRun());
    const done = await rewrite(parent, fresh());
    const { events } = await runFixture({ script: [{ text: "on" }] });
    const forked = events.map((event) => (event.t === "run.start" ? { ...event, d: { ...event.d, meta: { parent: { run: parent, start: done.start.before, step: 1 } } } } : event)); // prettier-ignore
    const to = fresh();
    await rewrite(writeRun(fresh(), forked), to, new Map([[done.start.before, done.start.after]]));
    expect((await loadRecording(to)).events[0]?.d["meta"]).toMatchObject({ parent: { start: done.start.after } });
    expect(await replayed(to)).toMatchObject({ exact: true });
  });

  it("is refused where there is no seal", async () => {
    const folder = writeRun(fresh(), await leakyRun());
    rmSync(join(folder, "seal.json"));
    await expect(rewrite(folder, fresh())).rejects.toMatchObject({ exitCode: 3 });
  });
});

type Entry = { name: string; content?: string | Buffer; type?: "symlink" | "file"; linkname?: string };
async function archive(entries: readonly Entry[]): Promise<string> {
  const pack = tar.pack();
  for (const { name, content = "", type = "file", linkname } of entries)
    if (type === "symlink") pack.entry({ name, type, linkname: linkname ?? "" });
    else pack.entry({ name, type }, content);
  pack.finalize();
  const file = `${fresh()}.tgz`;
  writeFileSync(file, gzipSync(await buffer(pack)));
  return file;
}
function bundleOf(files: Readonly<Record<string, string>>, o: { bytes?: number } = {}): Entry[] {
  const all = Object.entries(files);
  const bytes = o.bytes ?? all.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  const zero = "0".repeat(64);
  const runs = [{ path: "runs/a", start: zero, recordedAs: zero, events: 1, takenOut: {} }];
  const head = { v: 1, kind: "forge-traces", forgeVersion: "0", files: all.length, bytes, runs, takenOut: {} };
  return [
    { name: "b/bundle.json", content: JSON.stringify(head) },
    { name: "b/SHA256SUMS", content: all.map(([path, text]) => `${sha256(text)}  ${path}\n`).join("") },
    ...all.map(([path, content]) => ({ name: `b/${path}`, content })),
  ];
}
const good = { "runs/a/seal.json": "{}", "runs/a/trace.jsonl": "x\n" };
const unpack = (file: string, to = mkdtempSync(join(root, "to-"))) => unpackBundle(file, to, { maxBytes: 1e6 });

describe("a bundle that comes from anywhere", () => {
  it("is unpacked to what it names", async () => {
    const to = mkdtempSync(join(root, "to-"));
    expect(await unpack(await archive(bundleOf(good)), to)).toMatchObject({ files: 2 });
    expect(filesOf(to)).toEqual(new Map(Object.entries(good).map(([path, text]) => [`/${path}`, Buffer.from(text)])));
  });

  it.each<[string, () => Entry[]]>([
    ["a file outside of it", () => bundleOf({ ...good, "runs/../../escape": "x" })],
    ["an absolute file", () => [...bundleOf(good), { name: "/tmp/escape", content: "x" }]],
    ["a link", () => [...bundleOf(good), { name: "b/runs/a/blobs", type: "symlink", linkname: "/etc" }]],
    ["a file that it does not name", () => [...bundleOf(good), { name: "b/runs/a/blobs/aa/" + "a".repeat(64), content: "x" }]],
    ["a file twice", () => [...bundleOf(good), { name: "b/runs/a/seal.json", content: "{}" }]],
    ["a file of another content", () => bundleOf(good).map((one) => (one.name.endsWith(".jsonl") ? { ...one, content: "y\n" } : one))],
    ["a file too few", () => bundleOf(good).slice(0, -1)],
    ["more bytes than it declares", () => bundleOf(good, { bytes: 1 })],
    ["no list of its files", () => bundleOf(good).filter(({ name }) => !name.endsWith("SUMS"))],
    ["another first file", () => bundleOf(good).slice(1)],
    ["nothing", () => []],
  ])("is refused when it has %s", async (_, entries) => {
    await expect(unpack(await archive(entries()))).rejects.toMatchObject({ exitCode: 4 });
  });

  it("is refused before it fills the disk, and when it is no archive", async () => {
    await expect(unpack(await archive(bundleOf(good, { bytes: 2e6 })))).rejects.toMatchObject({ exitCode: 3 });
    const bomb = `${fresh()}.tgz`;
    writeFileSync(bomb, gzipSync(Buffer.alloc(80 * 1024 * 1024)));
    await expect(unpack(bomb)).rejects.toBeInstanceOf(ForgeError);
    writeFileSync(bomb, "no archive");
    await expect(unpack(bomb)).rejects.toMatchObject({ exitCode: 4 });
  });

  it("ends in what it holds or in a sentence, whichever of its bytes are others", async () => {
    const whole = gunzipSync(readFileSync(await archive(bundleOf(good))));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const other = Buffer.from(whole);
          for (const [at, byte] of changes) other[at] = byte;
          const file = `${fresh()}.tgz`;
          writeFileSync(file, gzipSync(other));
          const to = mkdtempSync(join(root, "to-"));
          await unpack(file, to).then(
            () => expect([...filesOf(to).values()].map(String).toSorted()).toEqual(Object.values(good).toSorted()),
            (error: unknown) => expect(error).toBeInstanceOf(ForgeError),
          );
        },
      ),
      { numRuns: draws(100) },
    );
  });
});
