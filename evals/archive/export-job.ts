import { plural } from "../../harness/text/figures.ts";
import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import type { KeyObject } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { codeOf, CannotError, ConfigError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { encodeName } from "../job/job-folder.ts";
import { jobOverview } from "../job/job-overview.ts";
import { runnerOf } from "../job/runner-lock.ts";
import { manifestName, manifestText, signatureName, type Manifest } from "./archive-format.ts";
import { checkJob } from "./check/check-job.ts";
import { createCountingHash } from "../../harness/archive/counting-hash.ts";
import { asJson } from "./check/job-table.ts";
import { listJobFiles } from "./list-job-files.ts";
import { packArchive } from "../../harness/archive/pack-archive.ts";
import { fingerprint, signatureText } from "./signature.ts";
import { sumsName, sumsText } from "../../harness/archive/sha256-sums.ts";

export interface ExportRequest {
  /** The job's folder. */
  readonly job: string;
  /** Must not be there yet. Left out: `<job's name>.tar.gz` in the current folder. */
  readonly out: string;
  /** Private; left out: the archive is not signed. */
  readonly key?: KeyObject;
  readonly forgeVersion: string;
}

export interface ExportOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (what: "checking" | "writing", done: number, of: number) => void;
}

export interface ExportedJob {
  readonly out: string;
  readonly job: string;
  readonly files: number;
  /** Of the job's files, and of the archive. */
  readonly bytes: number;
  readonly archiveBytes: number;
  /** Of the archive file. */
  readonly sha256: string;
  /** Fingerprint of the key; null: not signed. */
  readonly signer: string | null;
  readonly leftOut: readonly Manifest["leftOut"][number][];
}

/**
 * Writes a finished job as one archive. The job is checked first: an archive is never made of what `verify` would refuse.
 * @throws ConfigError where `out` is there already; CannotError for a job that is not finished or that someone works on; DamagedError for one that
 * was changed by hand
 */
export async function exportJob(request: ExportRequest, o: ExportOptions): Promise<ExportedJob> {
  const { job, out, key, forgeVersion } = request;
  refuseExisting(out);
  const overview = await jobOverview(job);
  await refuseUnfinished(overview);
  const checked = await checkJob(job, { signal: o.signal, onProgress: (done, of) => o.onProgress?.("checking", done, of) });
  const wrong = checked.checks.filter(({ state }) => state === "fails");
  const [first] = wrong;
  if (first || !checked.table)
    throw new DamagedError(
      `${job} cannot be exported, because its files do not fit together: ${first?.says.replace(/\.$/, "") ?? "a trial cannot be read"}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ""}. Restore the job from a copy, or run it again.`,
    );
  const { files, leftOut } = await listJobFiles(job, checked, o.signal);
  const sums = sumsText(files);
  const signer = key ? fingerprint(key) : null;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const manifest = manifestText({
    v: 1,
    kind: "forge-job",
    job: overview.job,
    forgeVersion,
    files: files.length,
    bytes,
    sums: sha256(sums),
    signer,
    leftOut: [...leftOut],
    table: asJson(checked.table),
  });
  const head = [
    { path: manifestName, text: manifest },
    ...(key ? [{ path: signatureName, text: signatureText(manifest, key) }] : []),
    { path: sumsName, text: sums },
  ];
  const draft = `${out}.${randomUUID()}.new`;
  try {
    const pack = packArchive({ prefix: `${encodeName(overview.job)}/`, head, folder: job, files }, (done) => {
      o.onProgress?.("writing", done, files.length);
    });
    const written = await writeGzip(pack, draft, o.signal);
    await refuseUnfinished(overview);
    await publish(draft, out);
    return { out, job: overview.job, files: files.length, bytes, ...written, signer, leftOut };
  } catch (error) {
    o.signal.throwIfAborted(); // a stream that was aborted says so in words of its own
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function refuseExisting(out: string): void {
  if (existsSync(out)) throw new ConfigError(`--out: ${out} already exists; remove it, or name another file.`);
}

async function refuseUnfinished({ folder, status, recorded, trials }: Awaited<ReturnType<typeof jobOverview>>): Promise<void> {
  const runner = await runnerOf(folder);
  if (runner)
    throw new CannotError(
      `${folder} is being worked on by process ${runner.pid}${runner.here ? "" : " of another machine"}; export it when that has ended.`,
    );
  if (status !== "finished" && status !== "decided" && status !== "invalid")
    throw new CannotError(
      `${folder} is not finished (${status}, ${recorded} of ${plural(trials, "trial")} recorded); resume it with \`forge jobs resume ${folder}\`, then export it.`,
    );
}

async function writeGzip(
  pack: ReturnType<typeof packArchive>,
  path: string,
  signal: AbortSignal,
): Promise<{ archiveBytes: number; sha256: string }> {
  const written = createCountingHash((chunk, before) => {
    // The tenth byte of a gzip file names the system that wrote it, which the same job must not depend on: 255 is "unknown".
    if (before === 0) chunk[9] = 255;
  });
  await pipeline(pack, createGzip({ level: 6 }), written.stream, createWriteStream(path, { flags: "wx" }), { signal });
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
  return { archiveBytes: written.bytes, sha256: written.sha256() };
}

/** Whole or not at all, and never over a file that came in the meantime. */
async function publish(draft: string, out: string): Promise<void> {
  try {
    await link(draft, out);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") refuseExisting(out);
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    await rename(draft, out); // a file system without hard links
  }
}
