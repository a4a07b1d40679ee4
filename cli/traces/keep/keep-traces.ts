import pc from "picocolors";
import { CannotError, ForgeError, messageOf } from "../../../harness/errors.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { bytesText, plural } from "../../../reports/text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { collectBlobs } from "../../../traces/keep/collect-blobs.ts";
import { compressTrace, decompressTrace } from "../../../traces/keep/compress-trace.ts";
import { pinRun } from "../../../traces/format/pin.ts";
import { recoverTrace } from "../../../traces/keep/recover-trace.ts";
import { writerOf } from "../../../traces/format/writer-claim.ts";
import { findAllRuns } from "../../../traces/store/find-runs.ts";
import { micros, systemClock } from "../../../harness/system-ports.ts";

interface Kept {
  readonly text: string;
  readonly detail: JsonObject;
  /** What it counts as in the summary. */
  readonly verdict: string;
}

/** Seals what killed runs left; answers the exit code. */
export function recoverRuns(folders: readonly string[], o: { json?: boolean }): Promise<number> {
  return keep(folders, o, async (run) => {
    const done = await recoverTrace(run, { clock: systemClock, micros });
    if (!done) return { verdict: "sealed", text: "is sealed: nothing to do", detail: {} };
    const tail = done.aside === undefined ? "" : `; ${done.torn} torn bytes are in ${done.aside}`;
    return {
      verdict: "recovered",
      text: `${plural(done.events, "event")} kept and sealed${tail}`,
      detail: { ...done, aside: done.aside ?? null },
    };
  });
}

/** Compresses traces, or undoes it; answers the exit code. */
export function compressRuns(folders: readonly string[], o: { json?: boolean; undo?: boolean }): Promise<number> {
  return keep(folders, o, async (run) => {
    requireEnd(run, "compress it");
    const done = o.undo ? await decompressTrace(run) : await compressTrace(run);
    const state = o.undo ? "plain" : "compressed";
    const text = done.changed ? `${state}: ${plural(done.before, "byte")}, now ${done.after}` : `is ${state}: nothing to do`;
    return { verdict: state, text, detail: { ...done } };
  });
}

/** Removes payloads that nothing refers to; answers the exit code. */
export function collectGarbage(folders: readonly string[], o: { json?: boolean; dryRun?: boolean }): Promise<number> {
  const dryRun = o.dryRun === true;
  return keep(folders, o, async (run) => {
    requireEnd(run, "look for what nothing refers to");
    const done = await collectBlobs(run, { dryRun });
    const foreign = done.foreign > 0 ? `; ${plural(done.foreign, "file")} there that no trace wrote` : "";
    const what = `${plural(done.removed, "blob")} that nothing refers to, ${bytesText(done.bytes)}`;
    const text = done.removed === 0 ? `nothing to remove, ${done.kept} blobs are needed` : `${dryRun ? "would remove" : "removed"} ${what}`;
    return { verdict: done.removed === 0 ? "clean" : dryRun ? "would remove" : "removed", text: `${text}${foreign}`, detail: { ...done } };
  });
}

/** Keeps runs from being pruned, or lets them go again; answers the exit code. */
export function pinRuns(folders: readonly string[], o: { json?: boolean; undo?: boolean }): Promise<number> {
  const pinned = o.undo !== true;
  return keep(folders, o, async (run) => {
    const changed = pinRun(run, { pinned, now: Date.now() });
    const state = pinned ? "pinned" : "not pinned";
    return { verdict: state, text: changed ? state : `is ${state}: nothing to do`, detail: { changed } };
  });
}

/** One that goes on has no seal either, and nothing to recover. */
function requireEnd(run: string, what: string): void {
  if (writerOf(run)) throw new CannotError(`The run in ${run} is still going; ${what} when it has ended.`);
}

async function keep(folders: readonly string[], o: { json?: boolean }, act: (run: string) => Promise<Kept>): Promise<number> {
  const counts = new Map<string, number>();
  let exitCode = 0;
  for (const run of await findAllRuns(folders, { toChange: true })) {
    const { kept, code } = await attempt(run, act);
    exitCode = Math.max(exitCode, code);
    counts.set(kept.verdict, (counts.get(kept.verdict) ?? 0) + 1);
    const mark = code === 0 ? pc.green("✓") : pc.red("✗");
    if (o.json)
      process.stdout.write(
        `${jsonLine({ type: "run", run, verdict: kept.verdict, exitCode: code, ...kept.detail, ...(code === 0 ? {} : { text: kept.text }) })}\n`,
      );
    else (code === 0 ? process.stdout : process.stderr).write(`${mark} ${oneLine(run)}: ${oneLine(kept.text)}\n`);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (o.json) process.stdout.write(`${jsonLine({ type: "summary", runs: total, ...Object.fromEntries(counts) })}\n`);
  else if (total > 1) process.stdout.write(`${total} runs: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}\n`);
  return exitCode;
}

async function attempt(run: string, act: (run: string) => Promise<Kept>): Promise<{ kept: Kept; code: number }> {
  try {
    return { kept: await act(run), code: 0 };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return { kept: { verdict: error.exitCode === 4 ? "damaged" : "cannot", text: messageOf(error), detail: {} }, code: error.exitCode };
  }
}
