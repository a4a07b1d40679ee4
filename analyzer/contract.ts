import { z } from "zod";

/** What lost a run: the root, not the symptom. Detectors, the analyst and people who label runs use the same words. */
export const kinds = [
  // behaviour of the run
  "repeated-call",
  "edit-thrash",
  "malformed-call",
  "misread-output",
  "output-not-read-on",
  "wrong-place",
  "missing-dependency",
  "waits",
  "out-of-budget",
  "reply-cut",
  "over-thinking",
  "gave-up",
  "no-check",
  "weak-check",
  "finished-against-failure",
  "claimed-not-done",
  "forbidden-edit",
  "reward-reach",
  "lost-instruction",
  // understanding of the task
  "requirement-missed",
  "requirement-inferred",
  "wrong-cause",
  "partial-fix",
  "wrong-algorithm",
  "edge-case",
  "regression",
  // not the agent
  "test-fault",
  "infrastructure",
  "unclear",
] as const;
export type Kind = (typeof kinds)[number];

export const classes = [
  "reasoning-error",
  "instruction-blindness",
  "missing-verification",
  "timeout",
  "myopic-planning",
  "evaluation-fault",
  "infrastructure",
  "other",
] as const;
export type FailureClass = (typeof classes)[number];

/** The class of each kind. */
export const classOf: Readonly<Record<Kind, FailureClass>> = {
  "repeated-call": "myopic-planning",
  "edit-thrash": "myopic-planning",
  "malformed-call": "reasoning-error",
  "misread-output": "reasoning-error",
  "output-not-read-on": "missing-verification",
  "wrong-place": "instruction-blindness",
  "missing-dependency": "other",
  waits: "timeout",
  "out-of-budget": "timeout",
  "reply-cut": "other",
  "over-thinking": "myopic-planning",
  "gave-up": "myopic-planning",
  "no-check": "missing-verification",
  "weak-check": "missing-verification",
  "finished-against-failure": "missing-verification",
  "claimed-not-done": "missing-verification",
  "forbidden-edit": "instruction-blindness",
  "reward-reach": "instruction-blindness",
  "lost-instruction": "instruction-blindness",
  "requirement-missed": "instruction-blindness",
  "requirement-inferred": "reasoning-error",
  "wrong-cause": "reasoning-error",
  "partial-fix": "reasoning-error",
  "wrong-algorithm": "reasoning-error",
  "edge-case": "missing-verification",
  regression: "missing-verification",
  "test-fault": "evaluation-fault",
  infrastructure: "infrastructure",
  unclear: "other",
};

/** A change of the harness, not of the model, that would most probably have saved a run. */
export const levers = [
  "pre-completion-checklist",
  "run-visible-tests-before-finishing",
  "rubric-verifier-second-look",
  "loop-detection",
  "tool-call-repair",
  "edit-feedback",
  "output-budget",
  "time-or-turn-budget-awareness",
  "longer-limit",
  "local-context-onboarding",
  "reminders-of-the-instruction",
  "todo-list",
  "restarts-or-best-of-n",
  "more-effort",
  "other-tool",
  "prompt-section",
  "none",
] as const;
export type Lever = (typeof levers)[number];

/** One thing that an analysis says of one run, with the place that shows it. */
export const findingSchema = z.strictObject({
  /** The path or name under which the run was given. */
  run: z.string(),
  /** Among the findings of its run, from 1: the first is the answer to why it failed. */
  rank: z.int().min(1),
  kind: z.enum(kinds),
  class: z.enum(classes),
  /** The rule that fired. */
  detector: z.string(),
  /** Of the event that `quote` is copied from. */
  seq: z.int().min(0),
  /** Tool calls from 1, or the imported run's own number; a final answer is the last number + 1. Null where the fault is at no step. */
  step: z.int().min(0).nullable(),
  quote: z.string(),
  why: z.string(),
  source: z.enum(["rule", "contrast", "blame", "analyst"]),
  lever: z.enum(levers).nullable(),
  confidence: z.enum(["low", "medium", "high"]),
});
export type Finding = z.infer<typeof findingSchema>;

export const priorities = ["fix", "fix if easy", "drop"] as const;
/** `completed`: accepted, and shown better by `forge improve` on tasks that the change never saw. */
export const statuses = ["open", "accepted", "completed", "rejected", "gone"] as const;

/** Findings of one mechanism, and what could be changed. */
export const issueSchema = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.enum(kinds),
  mechanism: z.string(),
  /** Runs that show it, the failed ones first. */
  runs: z.array(z.string()),
  failed: z.int().min(0),
  passed: z.int().min(0),
  /** Wilson's 95 % interval of the share of these runs that failed. */
  interval: z.tuple([z.number(), z.number()]),
  families: z.array(z.string()),
  configurations: z.array(z.string()),
  models: z.array(z.string()),
  lever: z.enum(levers).nullable(),
  /** The text of a file that `--config` takes; null where only a recommendation can be given. */
  patch: z.string().nullable(),
  /** Tasks whose failed runs the change would probably turn, and tasks whose passed runs it may break. */
  predictedFixes: z.array(z.string()),
  atRisk: z.array(z.string()),
  priority: z.enum(priorities),
  status: z.enum(statuses),
});
export type Issue = z.infer<typeof issueSchema>;

export const leftOutSchema = z.strictObject({ run: z.string(), why: z.string() });
export type LeftOut = z.infer<typeof leftOutSchema>;

/** What `forge analyze --json` prints. */
export const analysisSchema = z.object({
  analysis: z.string(),
  /** Runs that were looked at, and of these the failed ones. */
  runs: z.int(),
  failed: z.int(),
  leftOut: z.array(leftOutSchema),
  findings: z.array(findingSchema),
  issues: z.array(issueSchema),
  /** Failed runs of which no rule can say why. */
  unclassified: z.array(z.string()),
  /** The model that read failed runs; left out where none did. */
  analyst: z
    .strictObject({
      model: z.string(),
      form: z.enum(["tools", "one-call"]),
      /** Failed runs that it read, and those that it did not. */
      read: z.int(),
      unread: z.array(leftOutSchema),
      claims: z.int(),
      /** Claims that were dropped because their citation does not hold or their words are not in the lists, by reason; and replies that held no claims. */
      dropped: z.record(z.string(), z.int()),
      unreadable: z.int(),
      /** Why what it names is grouped by kind and not into its own clusters; null: it is not. */
      byKind: z.string().nullable(),
      /** Runs of which its first claim is of another kind than the first finding of rules and contrast. */
      disagrees: z.array(z.strictObject({ run: z.string(), without: z.enum(kinds), analyst: z.enum(kinds) })),
      input: z.int(),
      output: z.int(),
      /** USD; null: a price is not known. */
      costUsd: z.number().nullable(),
    })
    .optional(),
});
export type Analysis = z.infer<typeof analysisSchema>;
