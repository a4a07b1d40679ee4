import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../../harness/config/canonical-json.ts";
import { sha256 } from "../../harness/events/hash.ts";
import type { Comparison, PairComparison } from "./compare.ts";

const lineSchema = z.looseObject({ v: z.literal(1), id: z.string(), suite: z.string(), verdict: z.string(), at: z.number() });

/** How often a suite has decided something. */
export interface LedgerCount {
  readonly file: string;
  /** Decisions on this suite so far, with those of this comparison. */
  readonly decided: number;
  /** Why it could not be written; the count is then of what was there, and this comparison. */
  readonly unwritten?: string;
}

/**
 * Counts this comparison's verdicts in the ledger, one line each. Only decisions count: none that is withheld or has too few tasks. The same verdict on the
 * same measurements counts once, however often it is asked for; a job that has grown is looked at again, and counts again.
 * @param at Unix milliseconds
 */
export async function countDecisions(file: string, comparison: Comparison, at: number): Promise<LedgerCount> {
  const known = await readLedger(file);
  const ids = new Set(known.map(({ id }) => id));
  const decided = comparison.pairs.filter(({ verdict }) => verdict.word !== "withheld" && verdict.word !== "too few tasks");
  const fresh = decided
    .map((pair) => ({ v: 1, id: identityOf(comparison, pair), suite: comparison.suiteDigest, verdict: pair.verdict.word, at }))
    .filter(({ id }) => !ids.has(id));
  const count = known.filter(({ suite }) => suite === comparison.suiteDigest).length + fresh.length;
  if (fresh.length === 0) return { file, decided: count };
  try {
    await appendFile(file, fresh.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return { file, decided: count };
  } catch (error) {
    return { file, decided: count, unwritten: error instanceof Error ? error.message : String(error) };
  }
}

/** Lines that are none of ours (a torn one, a newer version's) are left alone and not counted. */
async function readLedger(file: string): Promise<z.infer<typeof lineSchema>[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    try {
      return [lineSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** Of what was measured and asked: arms, tasks and their scores. */
function identityOf(comparison: Comparison, { a, b, readings }: PairComparison): string {
  const arm = (name: string): string => comparison.arms.find((one) => one.name === name)?.identity ?? name;
  const seen = readings.map(({ flips }) => flips.map((flip) => [flip.task, flip.a, flip.b]));
  return sha256(canonicalJson([comparison.suiteDigest, arm(a), arm(b), seen]));
}
