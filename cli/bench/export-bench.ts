import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ConfigError } from "../../harness/errors.ts";
import { exportJob, type ExportedJob } from "../../evals/archive/export-job.ts";
import { readPrivateKey } from "../../evals/archive/signature.ts";
import { plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { createSlowProgress } from "../../reports/text/slow-progress.ts";
import type { ExportFlags } from "./options.ts";
import { findJob } from "../../evals/job/find-jobs.ts";
import { interruptible } from "../shared/interruptible.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { forgeVersion } from "../../harness/package/package-root.ts";

/** Carries out `forge bench export`; answers the exit code. `name`: a job's folder, or the beginning of its name in `jobs`. */
export async function exportBench(name: string, flags: ExportFlags): Promise<number> {
  const job = await findJob(name);
  const out = flags.out ?? `${basename(job)}.tar.gz`;
  if (!existsSync(dirname(resolve(out))))
    throw new ConfigError(`--out ${out}: there is no folder ${dirname(resolve(out))}. Create it, or name a file in another one.`);
  const key = flags.sign === undefined ? {} : { key: await readPrivateKey(flags.sign) };
  const progress = createSlowProgress(process.stderr, systemClock.now);
  try {
    const written = await interruptible(({ stop }) =>
      exportJob(
        { job, out, ...key, forgeVersion: forgeVersion() },
        { signal: stop, onProgress: (what, done, of) => progress.at(what, done, of) },
      ),
    );
    progress.end();
    process.stdout.write(flags.json ? `${jsonLine(written)}\n` : `${describe(written)}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: no archive was written, and the job is as it was.\n");
    return 130;
  }
}

function describe({ out, files, bytes, archiveBytes, sha256, signer, leftOut }: ExportedJob): string {
  const size = (n: number): string => (n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`);
  return [
    `${oneLine(out)}: ${plural(files, "file")}, ${size(bytes)}, packed ${size(archiveBytes)}`,
    `sha256 ${sha256}`,
    signer === null ? "not signed (--sign does that)" : `signed by key ${signer}`,
    ...leftOut.map(({ path, why }) => `left out: ${oneLine(path)}, because ${why}`),
    "Secrets were taken out when these files were recorded; this was not done again.",
  ].join("\n");
}
