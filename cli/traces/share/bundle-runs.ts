import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { randomUUID } from "node:crypto";
import { replayParts } from "../../../assembly/registry.ts";
import { createCountingHash } from "../../../harness/archive/counting-hash.ts";
import { packArchive } from "../../../harness/archive/pack-archive.ts";
import { sumsText } from "../../../harness/archive/sha256-sums.ts";
import { CannotError, ConfigError, messageOf } from "../../../harness/errors.ts";
import { hashFile } from "../../../harness/hash/hash-file.ts";
import { plural } from "../../../reports/text/format.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { bundleName, bundleSums, type Bundle } from "../../../traces/bundle/bundle-format.ts";
import { rewriteRun } from "../../../traces/bundle/rewrite-run.ts";
import { runOverview } from "../../../traces/read/run-overview.ts";
import { placedRuns } from "../../../traces/store/find-runs.ts";
import { folderName } from "../../../traces/store/folder-name.ts";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import { interruptible } from "../../shared/interruptible.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";
import { takenOutText } from "./taken-out-text.ts";
import { forgeVersion } from "../../../harness/package/package-root.ts";
import type { BundleFlags } from "./options.ts";

interface Member {
  readonly name: string;
  readonly run: string;
  readonly startedAt: number;
}
type Verdicts = ReadonlyMap<string, { readonly verdict: string; readonly text: string }>;

/** Carries out `forge traces bundle`; answers the exit code: 1 where a run replays no longer since something was taken out of it. */
export async function bundleRuns(folders: readonly string[], o: BundleFlags): Promise<number> {
  if (existsSync(o.out)) throw new ConfigError(`--out: ${o.out} is there already; remove it, or name another file.`);
  const staging = await mkdtemp(join(tmpdir(), "forge-bundle-"));
  try {
    const { bundle, verdicts, broken, written } = await interruptible(async ({ stop }) => {
      const staged = await stage(await membersOf(folders), staging, stop);
      return { ...staged, written: await write(staged.bundle, staging, o.out) };
    });
    if (o.json)
      process.stdout.write(`${jsonLine({ type: "bundle", out: o.out, ...bundle, ...written, replay: Object.fromEntries(verdicts) })}\n`);
    else process.stdout.write(`${describe(o.out, { bundle, verdicts, ...written })}\n`);
    return broken ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: no bundle was written.\n");
    return 130;
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
  stop: AbortSignal,
): Promise<{ bundle: Bundle; verdicts: Verdicts; broken: boolean }> {
  const starts = new Map<string, string>();
  const verdicts = new Map<string, { verdict: string; text: string }>();
  const takenOut: Record<string, number> = {};
  const runs: Bundle["runs"] = [];
  let broken = false;
  const parts = replayParts({ trust: false });
  for (const { name, run } of members) {
    stop.throwIfAborted();
    const to = join(staging, "runs", name);
    const done = await rewriteRun(run, to, { starts, makeRedactor: (onFound) => redactorFor(process.env, { onFound }) });
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
  return { bundle: { v: 1, kind: "forge-traces", forgeVersion: forgeVersion(), files: 1, bytes: 0, runs, takenOut }, verdicts, broken };
}

async function write(
  bundle: Bundle,
  staging: string,
  out: string,
): Promise<{ files: number; bytes: number; archiveBytes: number; sha256: string }> {
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

function describe(
  out: string,
  o: { bundle: Bundle; verdicts: Verdicts; files: number; bytes: number; archiveBytes: number; sha256: string },
): string {
  const size = (n: number): string => (n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`);
  const tally = new Map<string, number>();
  for (const { verdict } of o.verdicts.values()) tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
  const replays = [...o.verdicts.values()].some(({ verdict }) => verdict !== "cannot");
  const others = [...o.verdicts].filter(([, { verdict }]) => verdict !== "exact");
  return [
    `${oneLine(out)}: ${plural(o.bundle.runs.length, "run")}, ${plural(o.files, "file")}, ${size(o.bytes)}, packed ${size(o.archiveBytes)}`,
    `sha256 ${o.sha256}`,
    takenOutText(o.bundle.takenOut),
    `replayed from the bundle: ${[...tally].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`,
    ...others.map(([name, { verdict, text }]) => `  ${oneLine(name)}: ${verdict}, ${oneLine(text)}`),
    "Secrets are known by their shape, or as values of this environment. Look through what an agent saw before you publish it.",
    `Elsewhere: forge ${replays ? "replay" : "traces list"} ${oneLine(basename(out))}`,
  ].join("\n");
}
