import { z } from "zod";
import { evidenceSchema } from "./evidence/evidence.ts";

/**
 * How a trial came out. `passed` and `agent` (wrong, limit, refused, broke its own container): scored and final. `verifier`: no readable reward;
 * scored 0 or not scored, see `passed`. `infra`: never scored, tried again. `cancelled`: queued again. (`config` stops the job and leaves no record.)
 */
const trialClassSchema = z.enum(["passed", "agent", "verifier", "cancelled", "infra"]);
export const modeSchema = z.enum(["official", "hardened"]);
export const sandboxKindSchema = z.enum(["docker", "bubblewrap", "local"]);

export const modelIdentitySchema = z.looseObject({
  provider: z.string(),
  name: z.string(),
  protocol: z.enum(["native", "text", "grammar"]),
  fingerprint: z.string().optional(),
  contextTokens: z.number().optional(),
  /** Plain JSON, as it was parsed from text: a schema that says so again refers to itself, which zod cannot compile. */
  extra: z.record(z.string(), z.unknown()).optional(),
  simulated: z.boolean().optional(),
  priceTable: z.string().nullable(),
});

const boundSchema = z.strictObject({ value: z.number(), from: z.enum(["task", "bench"]) });

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * Whether the final file-system delta lies in the attempt's `delta.json`. `paths`: what it covers; `bytes`: of its files, before equal ones are stored once.
 * `artifacts`: where a verifier of its own environment got them alone, and it can be repeated from them, their digest; `delta.json` is then of them, and where
 * none was kept, they lie in the attempt's `artifacts/`.
 */
export const deltaRecordSchema = z.discriminatedUnion("kept", [
  z.looseObject({ kept: z.literal(true), paths: z.array(z.string()), files: z.int(), bytes: z.int(), artifacts: hash.optional() }),
  z.looseObject({ kept: z.literal(false), why: z.string(), artifacts: hash.optional() }),
]);
export type DeltaRecord = z.infer<typeof deltaRecordSchema>;

/** The record of a trial: `result.json` beside the trial's attempts, and `record.json` in each attempt. Loose: a newer Forge may have added fields. */
const schema = z.looseObject({
  v: z.literal(1),
  /** Trials with equal keys measure the same thing: see `trial-key.ts`. */
  key: hash,
  task: z.string(),
  taskDigest: z.string(),
  family: z.string().nullable(),
  /** Of tasks that name one. Records of older versions have it as the family where a task named no family. */
  category: z.string().optional(),
  difficulty: z.string().nullable(),
  configuration: z.string(),
  harnessHash: z.string(),
  forgeVersion: z.string(),
  /** `configured`, `oracle`, `nop`, or the name of a command. */
  agent: z.string(),
  modelIdentity: modelIdentitySchema,
  /** From 1. */
  repeat: z.int().min(1),
  /** From 1. */
  attempt: z.int().min(1),
  class: trialClassSchema,
  /** What decided the class, in the order in which it was seen. Records of older versions have none. */
  evidence: z.array(evidenceSchema).optional(),
  /** By name, as the verifier wrote them; null where there were none to read. */
  rewards: z.record(z.string(), z.number()).nullable(),
  /** `reward`, else the mean of all; 0 where a missing reward counts as failure; null where the trial has no score. */
  score: z.number().nullable(),
  /** score ≥ 1; null where the trial has no score. */
  passed: z.boolean().nullable(),
  /** `in` includes the cached ones. */
  tokens: z.strictObject({ in: z.int(), out: z.int(), cached: z.int() }),
  /** USD; null where a price is unknown. */
  costUsd: z.number().nullable(),
  priceTable: z.string().nullable(),
  turns: z.int(),
  /** Records of older versions count parts of the start and changes of no effect too. */
  interventions: z.int(),
  /** Milliseconds inside model and tool calls. */
  activeMs: z.number(),
  /** Milliseconds from the attempt's begin to its verdict. */
  wallMs: z.number(),
  seed: z.int(),
  sandbox: sandboxKindSchema,
  mode: modeSchema,
  simulated: z.boolean(),
  /** What said it answered, or null where the provider does not say. */
  servedModel: z.string().nullable(),
  imageDigest: z.string().nullable(),
  /** Departures of the environment from its Dockerfile, each a sentence. */
  deviations: z.array(z.string()),
  /** Of this machine when the trial began: cores, load average of a minute, trials at a time. */
  load: z.strictObject({ cpus: z.int(), average: z.number(), jobs: z.int() }),
  /**
   * What the agent's container could take, and whether the task says so or the bench does (hardened mode, where the task says nothing); null where there
   * was no bound. Records of older versions have none.
   */
  bounds: z
    .looseObject({ memoryMb: boundSchema.optional(), storageMb: boundSchema.optional(), pids: boundSchema.optional() })
    .nullable()
    .optional(),
  /** Of the agent's sandbox, as far as its kind can tell. */
  usage: z
    .looseObject({ memoryPeakBytes: z.number().optional(), oomKills: z.number().optional(), throttledMs: z.number().optional() })
    .nullable(),
  /** How the agent's run ended; null where it did not begin. */
  outcome: z.looseObject({ type: z.string() }).nullable(),
  /** SHA-256 over the model's replies without ids and times: equal in repeats that are identical by construction. */
  replyDigest: hash.nullable(),
  /** Of the workdir as the agent left it; null where it was not taken. */
  workspaceHash: hash.nullable(),
  /** Why it was not taken, a sentence. */
  workspaceWhy: z.string().optional(),
  /** What the agent changed, as far as it was kept. Records of older versions have none. */
  delta: deltaRecordSchema.optional(),
  /** Folder of the run, relative to the job's folder. */
  trace: z.string(),
  /** Unix milliseconds. */
  startedAt: z.number(),
  error: z.string().optional(),
});
/** Compiled: a job that is resumed reads thousands of them, and the first thousand cost the uncompiled schema the most. */
export const trialRecordSchema = z.compile(schema);
export type TrialRecord = z.infer<typeof trialRecordSchema>;
export type Mode = z.infer<typeof modeSchema>;
