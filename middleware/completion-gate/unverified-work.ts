import { resultOf, type Check } from "../../harness/contract/messages.ts";
import type { CallRecord } from "../../harness/contract/middleware.ts";
import { editedPaths } from "../edited-paths.ts";
import { readsWork, runsWork } from "./command-kind.ts";

export interface UnverifiedWork {
  /** The last check's command, where it failed. */
  readonly failedCheck?: string;
  /** The last check, where nobody can say how it went and none before it counts. */
  readonly unknownCheck?: Extract<Check, { result: unknown }>;
  /** The last check's command, where it passed before the last edit. */
  readonly staleCheck?: string;
  /** Files after whose last edit nothing was run (code) or looked at (anything else). */
  readonly unproven: readonly string[];
}

/**
 * Judges what was run against what was edited, by the order of calls alone. `afterLastEdit: false` leaves only the failed check.
 * `unknownFails`: a check that is not known to have passed counts as failed.
 */
export function unverifiedWork(
  calls: readonly CallRecord[],
  o: { readonly afterLastEdit: boolean; readonly unknownFails: boolean },
): UnverifiedWork {
  const results = calls.map(({ result }) => (result?.effects.check ? resultOf(result.effects.check) : undefined));
  const decided = results.findLastIndex((result) => result !== undefined && (o.unknownFails || result !== "unknown"));
  const check = calls[decided]?.result?.effects.check;
  const failed = check !== undefined && results[decided] !== "passed";
  const unknown = calls[results.lastIndexOf("unknown")]?.result?.effects.check;
  const hidden = results.lastIndexOf("unknown") > decided && unknown && "result" in unknown ? unknown : undefined;
  if (failed) return hidden ? { unknownCheck: hidden, unproven: [] } : { failedCheck: check.command, unproven: [] };
  if (!o.afterLastEdit) return { unproven: [] };

  const editedAt = lastEdits(calls);
  const later = [...editedAt].filter(([path, at]) => at > decided && !isProse(path));
  if (hidden && (!check || later.length > 0)) return { unknownCheck: hidden, unproven: [] };
  if (check) return later.length > 0 ? { staleCheck: check.command, unproven: [] } : { unproven: [] };
  const unproven = [...editedAt].filter(([path, at]) => !isProse(path) && !isProven(path, calls, at)).map(([path]) => path);
  return { unproven };
}

function lastEdits(calls: readonly CallRecord[]): Map<string, number> {
  const at = new Map<string, number>();
  calls.forEach((record, i) => {
    for (const path of editedPaths(record)) at.set(path, i);
  });
  return at;
}

/** The call that edited counts for itself where its command goes on to run or show the work. */
function isProven(path: string, calls: readonly CallRecord[], at: number): boolean {
  return calls.some((record, i) => {
    if (i < at || record.result === undefined) return false;
    const part = i === at ? "its end" : "all of it";
    return runsWork(record, part) || (!isCode(path) && readsWork(record, part));
  });
}

const isCode = (path: string): boolean =>
  /\.(?:py|js|mjs|cjs|jsx|ts|mts|tsx|sh|bash|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|pl|lua|jl|swift|scala|exs?|hs|ml|sql)$|(?:^|\/)Makefile$/i.test(
    path,
  );
/** Nothing can be run on it, and its author has just read it. */
const isProse = (path: string): boolean => /\.(?:md|rst|adoc)$|(?:^|\/)(?:LICENSE|\.gitignore)$/i.test(path);
