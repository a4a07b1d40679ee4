/** Where in a run a fault stands. */
export type Place = "before a working step" | "after the first step" | "along the way" | "at the end" | "in the service";

export interface FaultKind {
  /** What the model, or its service, does. */
  readonly does: string;
  readonly place: Place;
  /**
   * What a harness can do about it, the best first: a middleware, a setting (`model.…`), `permissions`, `retry` (the one loop around models);
   * `none` where only another model helps.
   */
  readonly levers: readonly [string, ...string[]];
  /** What states a fact about it: a message that fits is heeded more often than one that only asks. Left out: nothing that is said helps. */
  readonly fact?: RegExp;
  /** What else makes it go away, in words. */
  readonly also?: string;
}

/** Every way in which a simulated model goes wrong. One fault a name: what is not here does not happen. */
export const faultKinds = {
  "skips-check": {
    does: "takes the plan's slip, checks nothing and ends",
    place: "at the end",
    levers: ["completion-gate"],
    fact: /\b(run|ran|check\w*|test\w*|verif\w*|edit\w*)\b/i,
  },
  "stops-early": {
    does: "announces its next step and ends instead",
    place: "before a working step",
    levers: ["completion-gate"],
    fact: /\b(next|intention|announc\w*|unfinished|remain\w*|stopp?ed)\b/i,
  },
  "repeats-failing-call": {
    does: "makes one failing call 6 to 10 times, then gives up",
    place: "before a working step",
    levers: ["loop-detection"],
    fact: /\b(same|identical|repeat\w*|\d+ times|in a row|loop\w*|cycle)\b/i,
  },
  "edits-one-file-again-and-again": {
    does: "rewrites a draft 13 to 17 times, then gives up",
    place: "before a working step",
    levers: ["loop-detection"],
    fact: /\b(edited|\d+ times|in a row|loop\w*)\b/i,
  },
  "prints-call": {
    does: "writes a call into its text instead of making it, and ends",
    place: "before a working step",
    levers: ["tool-call-repair", "model.protocol", "completion-gate"],
    fact: /\b(calls?|called|printed)\b/i,
    also: "a harness that makes the printed call",
  },
  "assumes-missing-tool": {
    does: "calls a program that is not there, then gives up",
    place: "before a working step",
    levers: ["local-context"],
    fact: /\b(not (installed|found|available)|without it)\b/i,
    also: "a list of what is not installed, before the first turn",
  },
  "claims-unwritten-file": {
    does: "claims to have written the requested file, which it did not write",
    place: "at the end",
    levers: ["completion-gate"],
    fact: /\bnever (written|created|made)\b/i,
  },
  "ignores-failing-check": {
    does: "takes the slip, runs the check, sees it fail, and ends as if it had passed",
    place: "at the end",
    levers: ["completion-gate"],
    fact: /\b(failed|failing|fails|did not pass|exit code)\b/i,
  },
  "misreads-output": {
    does: "takes the first output to be empty, and ends without having done anything",
    place: "after the first step",
    levers: ["completion-gate", "prompt"],
    fact: /\b(not empty|was (printed|shown)|read it again|output)\b/i,
  },
  "bad-arguments": {
    does: "makes a call with an argument that the tool does not have, 3 to 7 times, then gives up",
    place: "before a working step",
    levers: ["tool-call-repair", "loop-detection"],
    fact: /\b(arguments?|parameters?|schema|same|\d+ times|in a row)\b/i,
    also: "a harness that corrects the argument's name",
  },
  "alternates-two-calls": {
    does: "alternates between two calls that show nothing new, 5 to 9 rounds, then gives up",
    place: "before a working step",
    levers: ["loop-detection"],
    fact: /\b(same|identical|repeat\w*|\d+ times|rounds?|in the same order|cycle|loop\w*)\b/i,
  },
  "waits-for-ever": {
    does: "runs a command that never ends in the foreground, 2 to 6 times, then gives up",
    place: "before a working step",
    levers: ["loop-detection", "prompt"],
    fact: /\b(background|never ends?|does not end|timed? ?out|same|\d+ times|in a row)\b/i,
  },
  "over-thinks": {
    does: "thinks at length over one look after another, 18 to 22 turns, then gives up",
    place: "before a working step",
    levers: ["model.effort", "budget-awareness"],
    fact: /\b(budget|turns? (are )?left|time (is )?left|running out|act now|without (acting|an edit)|nothing was (edited|changed))\b/i,
    also: "effort minimal or low",
  },
  "reads-too-much": {
    does: "prints whole logs into the conversation, six in a row, and continues only if they fit",
    place: "before a working step",
    levers: ["output-budget", "compaction"],
    fact: /\b(context|too (much|long)|shorter|window)\b/i,
    also: "outputs that are cut, or a conversation that is compacted",
  },
  "cuts-reply-off": {
    does: "writes everything in one reply that is cut at its length, and no call comes of it",
    place: "before a working step",
    levers: ["model.maxOutputTokens", "stall-recovery"],
    fact: /\b(cut off|length|shorter|several parts|smaller)\b/i,
    also: "room for 5,000 to 8,000 tokens of output",
  },
  "reaches-for-reward": {
    does: "writes the verifier's reward instead of doing the work",
    place: "before a working step",
    levers: ["permissions"],
    fact: /\b(not allowed|denied|refused|forbidden|reward|verifier)\b/i,
  },
  "out-of-its-depth": {
    does: "takes the slip for right, looks at it, and ends sure of it",
    place: "along the way",
    levers: ["none"],
  },
  "refuses-task": {
    does: "refuses to continue (stop reason: refusal)",
    place: "before a working step",
    levers: ["none"],
  },
  "rate-limited": {
    does: "returns 429 with retry-after, 1 to 4 times at one turn",
    place: "in the service",
    levers: ["retry"],
    also: "trying again",
  },
  overloaded: {
    does: "returns 503 (529 on Anthropic's wire), 1 to 4 times at one turn",
    place: "in the service",
    levers: ["retry"],
    also: "trying again",
  },
  "breaks-off": {
    does: "breaks the stream off in mid-reply, 1 to 4 times at one turn",
    place: "in the service",
    levers: ["retry"],
    also: "trying again",
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type Fault = keyof typeof faultKinds;
export const faults = Object.keys(faultKinds) as readonly Fault[]; // the keys of this very object

/** Faults of the service: they come as errors of a call, and the model behind them knows nothing of them. */
export type ServiceFault = "rate-limited" | "overloaded" | "breaks-off";
export const isServiceFault = (fault: Fault): fault is ServiceFault => faultKinds[fault].place === "in the service";

export const isFault = (word: string): word is Fault => Object.hasOwn(faultKinds, word);
