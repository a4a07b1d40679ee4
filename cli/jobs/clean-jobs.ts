import { rmdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { findLeavings, removeLeavings } from "../../evals/job/clean-job.ts";
import { jobOverview } from "../../evals/job/job-overview.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { plural } from "../../reports/text/format.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { sandboxProviders } from "../../assembly/sandbox-providers.ts";
import type { CleanFlags } from "./options.ts";
import { existsSync } from "node:fs";
import { findJob, jobsBelow } from "../../evals/job/find-jobs.ts";

/** Carries out `forge jobs clean`. A job that someone runs is left alone. */
export async function cleanJobs(names: readonly string[], o: CleanFlags): Promise<void> {
  const folders = names.length > 0 ? await Promise.all(names.map(findJob)) : existsSync("jobs") ? await jobsBelow("jobs") : [];
  const removed: string[] = [];
  const skipped: { folder: string; why: string }[] = [];
  for (const folder of folders) {
    const { runner, touchedAt } = await jobOverview(folder);
    if (runner) skipped.push({ folder, why: `process ${runner.pid}${runner.here ? "" : " of another machine"} works on it` });
    else if (Date.now() - touchedAt < (o.olderThan ?? 0)) skipped.push({ folder, why: "it is younger" });
    else removed.push(...(await cleanOne(folder, o.dryRun === true)));
  }
  const sandboxes = o.dryRun ? null : await sweep();
  if (o.json) return void process.stdout.write(`${jsonLine({ dryRun: o.dryRun === true, removed, skipped, sandboxes })}\n`);
  const say = (line: string): void => void process.stdout.write(`${oneLine(line)}\n`);
  for (const path of removed) say(`${o.dryRun ? "would remove" : "removed"} ${relative(process.cwd(), path)}`);
  for (const { folder, why } of skipped) say(`left alone ${relative(process.cwd(), folder)}: ${why}`);
  if (sandboxes === null) say(`${plural(removed.length, "thing")} to remove; sandboxes of ended runners, too, would go.`);
  else say(`removed ${plural(removed.length, "thing")}, and ${sandboxes === 1 ? "1 sandbox" : `${sandboxes} sandboxes`} of ended runners`);
}

async function cleanOne(folder: string, dryRun: boolean): Promise<string[]> {
  const found = await findLeavings(folder);
  if (!dryRun) {
    await removeLeavings(found);
    await rmdir(join(folder, "unfinished")).catch(() => undefined); // not there, or not empty
  }
  return found;
}

/** Only what belongs to processes that have certainly ended; a daemon that is not here left nothing that could be removed from here. */
async function sweep(): Promise<number> {
  const providerOf = sandboxProviders();
  let count = 0;
  for (const kind of ["docker", "bubblewrap", "local"] as const) {
    const provider = await providerOf(kind);
    if ((await provider.available()) === true) count += await provider.sweep().catch(() => 0);
  }
  return count;
}
