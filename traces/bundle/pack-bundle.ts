import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createCountingHash } from "../../harness/archive/counting-hash.ts";
import { packArchive } from "../../harness/archive/pack-archive.ts";
import { sumsText } from "../../harness/archive/sha256-sums.ts";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { hashFile } from "../../harness/hash/hash-file.ts";
import type { SecretKind } from "../../harness/secrets/redact-text.ts";
import { runOverview } from "../read/run-overview.ts";
import { judgeRun } from "../replay/corpus/judge-run.ts";
import type { ReplayParts } from "../replay/replay-parts.ts";
import { placedRuns } from "../store/find-runs.ts";
import { folderName } from "../store/folder-name.ts";
import { bundleName, bundleSums, type Bundle } from "./bundle-format.ts";
import { rewriteRun } from "./rewrite-run.ts";

interface Member {
  readonly name: string;
  readonly run: string;
  readonly startedAt: number;
}

export interface PackRequest {
  /** The bundle's file, in a folder that is there. */
  readonly out: string;
  readonly forgeVersion: string;
  readonly parts: ReplayParts;
  readonly makeRedactor: (onFound: (kind: SecretKind) => void) => (text: string) => string;
  readonly stop: AbortSignal;
}

export interface PackedBundle {
  readonly bundle: Bundle;
  /** How each run replays from the bundle, by its name there. */
  readonly verdicts: ReadonlyMap<string, { readonly verdict: string; readonly text: string }>;
  /** A run that replayed exactly does not any more since something was taken out of it. */
  readonly broken: boolean;
  readonly written: { readonly files: number; readonly bytes: number; readonly archiveBytes: number; readonly sha256: string };
}

/** Writes the runs of some folders into one file that others can open, without the secrets in them. Nothing is left where it throws. */
export async function packBundle(folders: readonly string[], o: PackRequest): Promise<PackedBundle> {
  const staging = await mkdtemp(join(tmpdir(), "forge-bundle-"));
  try {
    const staged = await stage(await membersOf(folders), staging, o);
    return { ...staged, written: await write(staged.bundle, staging, o.out) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Oldest first: a run that went on from another comes after that one. */
async function membersOf(folders: readonly string[]): Promise<Member[]> {
  const members = new Map<string, Member>();
  for (const { run, folder, inside } of await placedRuns(folders)) {
    const parts = inside === "" ? [] : inside.split("/").filter((part) => part !== "trials");
    const name = folderName([basename(resolve(folder)), ...parts].join("_"));
    const taken = members.has(name) ? `${name}-${members.size + 1}` : name;
    members.set(taken, { name: taken, run, startedAt: (await runOverview(run)).startedAt });
  }
  return [...members.values()].toSorted((a, b) => a.startedAt - b.startedAt || (a.name < b.name ? -1 : 1));
}

/** Writes every run once more, and sees whether it still replays as it did. */
async function stage(
  members: readonly Member[],
  staging: string,
  { forgeVersion, parts, makeRedactor, stop }: PackRequest,
): Promise<Omit<PackedBundle, "written">> {
  const starts = new Map<string, string>();
  const verdicts = new Map<string, { verdict: string; text: string }>();
  const takenOut: Record<string, number> = {};
  const runs: Bundle["runs"] = [];
  let broken = false;
  for (const { name, run } of members) {
    stop.throwIfAborted();
    const to = join(staging, "runs", name);
    const done = await rewriteRun(run, to, { starts, makeRedactor });
    if (done.start.before !== done.start.after) starts.set(done.start.before, done.start.after);
    for (const [kind, count] of Object.entries(done.takenOut)) takenOut[kind] = (takenOut[kind] ?? 0) + count;
    runs.push({
      path: `runs/${name}`,
      start: done.start.after,
      recordedAs: done.start.before,
      events: done.events,
      takenOut: done.takenOut,
    });
    const { verdict, text } = await judgeRun(to, {}, parts);
    if (done.changed && verdict === "diverged") broken ||= (await judgeRun(run, {}, parts)).verdict === "exact";
    verdicts.set(name, { verdict, text: text.split("\n")[0] ?? "" });
  }
  return { bundle: { v: 1, kind: "forge-traces", forgeVersion, files: 1, bytes: 0, runs, takenOut }, verdicts, broken };
}

async function write(bundle: Bundle, staging: string, out: string): Promise<PackedBundle["written"]> {
  const entries = await readdir(staging, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(staging, join(entry.parentPath, entry.name)));
  const files = await Promise.all(paths.toSorted().map(async (path) => ({ path, ...(await hashFile(join(staging, path))) })));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const head = [
    { path: bundleName, text: `${JSON.stringify({ ...bundle, files: files.length, bytes }, null, 2)}\n` },
    { path: bundleSums, text: sumsText(files) },
  ];
  const prefix = `${folderName(basename(out).replace(/\.(?:tgz|tar\.gz)$/, ""))}/`;
  const counted = createCountingHash((chunk, before) => {
    if (before === 0) chunk[9] = 255; // the system that a gzip file was written on, which the same runs must not depend on
  });
  const draft = join(dirname(resolve(out)), `.${basename(out)}.${randomUUID()}.new`);
  try {
    await pipeline(
      packArchive({ prefix, head, folder: staging, files }),
      createGzip({ level: 6 }),
      counted.stream,
      createWriteStream(draft, { flags: "wx" }),
    );
    await rename(draft, out);
  } catch (error) {
    throw new CannotError(`--out: ${out} cannot be written (${messageOf(error)}); name a file in a folder that is there.`);
  } finally {
    await rm(draft, { force: true });
  }
  return { files: files.length, bytes, archiveBytes: counted.bytes, sha256: counted.sha256() };
}
