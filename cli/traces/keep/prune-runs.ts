import { plural } from "../../../harness/text/figures.ts";
import { resolve } from "node:path";
import { ConfigError, ForgeError, messageOf } from "../../../harness/errors.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { bytesText } from "../../../reports/text/format.ts";
import { choosePrunable, type StoredRun } from "../../../traces/keep/choose-prunable.ts";
import { runOverview } from "../../../traces/read/run-overview.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { removeTrace, storedBytes } from "../../../traces/keep/remove-trace.ts";
import { findAllRuns } from "../../../traces/store/find-runs.ts";
import type { PruneFlags } from "./options.ts";

/** Removes traces by age and size, or says which it would; answers the exit code, the gravest of all. */
export async function pruneRuns(folders: readonly string[], flags: PruneFlags): Promise<number> {
  const { olderThan, largerThan, keep, unsealed = false } = flags;
  if (olderThan === undefined && largerThan === undefined && keep === undefined && !unsealed)
    throw new ConfigError(
      "forge traces prune needs to know what to give up: --older-than 30d, --larger-than 20MB, --keep 5GB or --unsealed",
    );
  const runs: StoredRun[] = [];
  for (const run of await findAllRuns(folders, { toChange: true }))
    runs.push({ ...(await runOverview(resolve(run))), stored: storedBytes(run) });
  const rule = {
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
    ...(largerThan === undefined ? {} : { largerThan }),
    ...(keep === undefined ? {} : { keep }),
    unsealed,
  };
  const chosen = choosePrunable(runs, rule, Date.now());
  let exitCode = 0;
  let bytes = 0;
  let removed = 0;
  for (const { folder, stored, state } of chosen) {
    // What the overview did not look at may be damaged: such a run may be all that is left of it.
    const why = await attempt(async () => {
      if (state !== "empty") await verifyTrace(folder);
      if (!flags.dryRun) removeTrace(folder);
    });
    if (why) exitCode = Math.max(exitCode, why.exitCode);
    else {
      removed++;
      bytes += stored;
    }
    const verdict = why ? "cannot" : flags.dryRun ? "would remove" : "removed";
    const said = why ? messageOf(why) : `${verdict} ${bytesText(stored)}`;
    if (flags.json)
      process.stdout.write(`${jsonLine({ type: "run", run: folder, verdict, bytes: stored, ...(why ? { text: said } : {}) })}\n`);
    else (why ? process.stderr : process.stdout).write(`${oneLine(folder)}: ${oneLine(said)}\n`);
  }
  const pinned = runs.filter((run) => run.pinned).length;
  if (flags.json)
    process.stdout.write(`${jsonLine({ type: "summary", runs: runs.length, removed, bytes, pinned, dryRun: flags.dryRun === true })}\n`);
  else
    process.stdout.write(
      `${flags.dryRun ? "would remove" : "removed"} ${removed} of ${plural(runs.length, "run")}, ${bytesText(bytes)}${pinned > 0 ? `; ${pinned} pinned` : ""}\n`,
    );
  return exitCode;
}

async function attempt(act: () => Promise<void>): Promise<ForgeError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof ForgeError) return error;
    throw error;
  }
}
