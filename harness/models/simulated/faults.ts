/**
 * What a simulated model does wrong. Each can be caught by a harness:
 * - `skips-check` takes the plan's slip and checks nothing
 * - `stops-early` announces its next step and ends instead
 * - `repeats-failing-call` makes one failing call over and over, then gives up
 * - `edits-one-file-again-and-again` rewrites a draft without end, then gives up
 * - `prints-call` writes a call into its text instead of making it
 * - `assumes-missing-tool` calls a program that is not there, then gives up
 * - `claims-unwritten-file` says it wrote a file that it did not write
 */
export const faults = [
  "skips-check",
  "stops-early",
  "repeats-failing-call",
  "edits-one-file-again-and-again",
  "prints-call",
  "assumes-missing-tool",
  "claims-unwritten-file",
] as const;
export type Fault = (typeof faults)[number];

export type Rates = Readonly<Record<Fault, number>>;

/** Chance of each fault in a run. With `default` about half of the runs of a task with slip and claims go wrong when nobody helps. */
export const profiles: Readonly<Record<string, Rates>> = {
  default: {
    "skips-check": 0.18,
    "stops-early": 0.09,
    "repeats-failing-call": 0.06,
    "edits-one-file-again-and-again": 0.05,
    "prints-call": 0.06,
    "assumes-missing-tool": 0.07,
    "claims-unwritten-file": 0.08,
  },
  careless: {
    "skips-check": 0.35,
    "stops-early": 0.18,
    "repeats-failing-call": 0.12,
    "edits-one-file-again-and-again": 0.1,
    "prints-call": 0.12,
    "assumes-missing-tool": 0.12,
    "claims-unwritten-file": 0.15,
  },
  perfect: {
    "skips-check": 0,
    "stops-early": 0,
    "repeats-failing-call": 0,
    "edits-one-file-again-and-again": 0,
    "prints-call": 0,
    "assumes-missing-tool": 0,
    "claims-unwritten-file": 0,
  },
};

/**
 * How likely a message of the harness is heeded: `fact` when it states something about the fault at hand, `prose` when it only reminds or asks.
 * Each message ignored before halves it. `context` is the chance that a list of what is installed prevents a call of a missing program.
 */
export const heed = { fact: 0.6, prose: 0.2, context: 0.6 } as const;

/** Says of any fault that the work is not done. */
const workIsLeft =
  /\b(no such file|does not exist|not (yet )?(done|finished|there)|nothing (was|has been) (run|done|changed)|check failed)\b/i;

const facts: Readonly<Record<Fault, RegExp>> = {
  "skips-check": /\b(run|ran|check\w*|test\w*|verif\w*|edit\w*)\b/i,
  "stops-early": /\b(next|intention|announc\w*|unfinished|remain\w*|stopp?ed)\b/i,
  "repeats-failing-call": /\b(same|identical|repeat\w*|\d+ times|in a row|loop\w*|cycle)\b/i,
  "edits-one-file-again-and-again": /\b(edited|\d+ times|in a row|loop\w*)\b/i,
  "prints-call": /\b(calls?|called|printed)\b/i,
  "assumes-missing-tool": /\b(not (installed|found|available)|without it)\b/i,
  "claims-unwritten-file": /\bnever (written|created|made)\b/i,
};

/** Whether a message states a fact about the fault. A question states none, which is what tells a checklist from a finding. */
export function statesFact(message: string, fault: Fault): boolean {
  const sentences = message.split(/(?<=[.!?:;])\s+|\n+/).filter((sentence) => !sentence.trimEnd().endsWith("?"));
  return sentences.some((sentence) => workIsLeft.test(sentence) || facts[fault].test(sentence));
}

/** Whether the harness has said what is installed and what is not. */
export const listsWhatIsMissing = (message: string): boolean =>
  /\bnot (installed|available|found)\b.*:|\b(absent|missing)\b.*:/i.test(message);
