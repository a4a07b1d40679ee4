import { codeOf, ForgeError } from "../../harness/errors.ts";
import { hasTrace } from "../../traces/format/trace-files.ts";
import { stepsAfter, type Followed } from "./steps-after.ts";
import type { TrialFacts } from "./trial-facts.ts";

/** What one middleware did to the runs of one configuration, and what came of it. */
export interface Interventions {
  readonly arm: string;
  readonly middleware: string;
  /** What it changed, in its own word: `inject`, `message`, … */
  readonly change: string;
  readonly times: number;
  /** Scored runs in which it happened, and how many of them passed. */
  readonly runs: number;
  readonly passed: number;
  /** The model's next step, by what it did. */
  readonly followed: Readonly<Partial<Record<Followed, number>>>;
}

export interface InterventionTable {
  readonly rows: readonly Interventions[];
  /** Runs whose trace is missing, damaged, or was one too many to read. */
  readonly unread: number;
  /** Runs whose trace ends in a torn line: what they did last, and what followed it, may be missing. */
  readonly torn: number;
}

/** A report stays a matter of seconds: of a larger job the first so many traces are read. */
const mostRead = 3000;

interface Tally {
  times: number;
  runs: number;
  passed: number;
  followed: Partial<Record<Followed, number>>;
}

/** Reads the traces of all runs in which a middleware intervened. */
export async function countInterventions(
  arms: readonly { readonly name: string; readonly trials: readonly TrialFacts[] }[],
): Promise<InterventionTable> {
  const rows: Interventions[] = [];
  let [read, unread, torn] = [0, 0, 0];
  for (const { name, trials } of arms) {
    const tallies = new Map<string, Tally>();
    for (const trial of trials) {
      const { interventions, run } = trial;
      if (interventions === 0 || interventions === null || run === null) continue;
      let isTorn = false;
      const steps = read++ < mostRead ? await stepsOf(run, () => (isTorn = true)) : undefined;
      if (!steps) unread += 1;
      else {
        torn += isTorn ? 1 : 0; // of those that were read
        addRun(tallies, steps, trial.passed);
      }
    }
    for (const [key, tally] of tallies) {
      const [middleware = "", change = ""] = key.split("\0");
      rows.push({ arm: name, middleware, change, ...tally });
    }
  }
  return { rows: rows.toSorted((a, b) => order(a, b)), unread, torn };
}

const order = (a: Interventions, b: Interventions): number =>
  a.arm === b.arm ? (a.middleware === b.middleware ? b.times - a.times : a.middleware < b.middleware ? -1 : 1) : 0;

/** Undefined where the trace cannot be read: that is no reason to give no report. */
async function stepsOf(run: string, onTorn: () => void): Promise<Awaited<ReturnType<typeof stepsAfter>> | undefined> {
  if (!hasTrace(run)) return undefined;
  try {
    return await stepsAfter(run, onTorn);
  } catch (error) {
    if (error instanceof ForgeError || codeOf(error) !== undefined) return undefined; // damaged, not whole, or not to be read here
    throw error;
  }
}

function addRun(tallies: Map<string, Tally>, steps: Awaited<ReturnType<typeof stepsAfter>>, passed: boolean | null): void {
  const seen = new Set<string>();
  for (const { middleware, change, followed } of steps) {
    const key = `${middleware}\0${change}`;
    const tally = tallies.get(key) ?? { times: 0, runs: 0, passed: 0, followed: {} };
    tally.times += 1;
    tally.followed[followed] = (tally.followed[followed] ?? 0) + 1;
    if (!seen.has(key) && passed !== null) {
      tally.runs += 1;
      tally.passed += passed ? 1 : 0;
    }
    seen.add(key);
    tallies.set(key, tally);
  }
}
