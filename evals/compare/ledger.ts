import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { codeOf, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
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
  const ledger = await readLedger(file);
  if (ledger.unread !== undefined) return { file, decided: comparison.pairs.filter(isDecided).length, unwritten: ledger.unread };
  const { known } = ledger;
  const ids = new Set(known.map(({ id }) => id));
  const fresh = comparison.pairs
    .filter(isDecided)
    .map((pair) => ({ v: 1, id: identityOf(comparison, pair), suite: comparison.suiteDigest, verdict: pair.verdict.word, at }))
    .filter(({ id }) => !ids.has(id));
  const count = known.filter(({ suite }) => suite === comparison.suiteDigest).length + fresh.length;
  if (fresh.length === 0) return { file, decided: count };
  try {
    await appendFile(file, `${ledger.torn ? "\n" : ""}${fresh.map((line) => `${JSON.stringify(line)}\n`).join("")}`);
    return { file, decided: count };
  } catch (error) {
    return { file, decided: count, unwritten: error instanceof Error ? error.message : String(error) };
  }
}

const isDecided = ({ verdict }: PairComparison): boolean => verdict.word !== "withheld" && verdict.word !== "too few tasks";

interface Ledger {
  readonly known: readonly z.infer<typeof lineSchema>[];
  /** The last line has no end: a writer was cut off, and the next one begins a line of its own. */
  readonly torn: boolean;
  /** Why it is there and cannot be read. */
  readonly unread?: string;
}

/** Lines that are none of ours (a torn one, a newer version's) are left alone and not counted. A file that is not there yet is an empty one. */
async function readLedger(file: string): Promise<Ledger> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return { known: [], torn: false, ...(codeOf(error) === "ENOENT" ? {} : { unread: messageOf(error) }) };
  }
  const known = text.split("\n").flatMap((line) => {
    try {
      return [lineSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
  return { known, torn: text !== "" && !text.endsWith("\n") };
}

/** Of what was measured and asked: arms, tasks and their scores. */
function identityOf(comparison: Comparison, { a, b, readings }: PairComparison): string {
  const arm = (name: string): string => comparison.arms.find((one) => one.name === name)?.identity ?? name;
  const seen = readings.map(({ flips }) => flips.map((flip) => [flip.task, flip.a, flip.b]));
  return sha256(canonicalJson([comparison.suiteDigest, arm(a), arm(b), seen]));
}
