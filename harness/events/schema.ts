import { z } from "zod";
import type { JsonObject } from "../json.ts";

/**
 * Every event of a trace. *Inputs* are served on replay, *derived* events must come out again, *evidence* is neither.
 * Objects are loose: fields that a newer Forge added are kept.
 */
const json = z.json();
const jsonObject = z.record(z.string(), z.json());
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const part = z.looseObject({ type: z.string() });
const message = z.looseObject({ role: z.enum(["user", "assistant", "tool"]), content: z.array(part) });
const call = z.looseObject({ id: z.string(), name: z.string(), args: jsonObject });
const effects = z.looseObject({
  edited: z.array(z.string()),
  check: z.looseObject({ command: z.string(), passed: z.boolean() }).optional(),
});
const reply = z.looseObject({ status: z.enum(["ok", "error", "denied", "timeout"]), content: z.array(part), effects });
const usage = z.looseObject({ input: z.int(), output: z.int(), cached: z.int() });
const params = z.looseObject({ maxOutputTokens: z.int() });
const spent = z.looseObject({
  turns: z.int(),
  input: z.int(),
  output: z.int(),
  cached: z.int(),
  costUsd: z.number().nullable(),
  activeMs: z.number(),
});
const outcome = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("done") }),
  z.looseObject({ type: z.literal("refused") }),
  z.looseObject({ type: z.literal("limit"), limit: z.string() }),
  z.looseObject({ type: z.literal("cancelled"), reason: z.string() }),
  z.looseObject({ type: z.literal("error"), kind: z.enum(["agent", "infra", "config"]), message: z.string() }),
]);

const inputSchemas = {
  /** `meta`: versions, task digest, image digest, sandbox, workdir, parent; nothing the loop reads. */
  "run.start": z.looseObject({
    config: jsonObject,
    input: z.looseObject({ task: z.string() }),
    seed: z.int().optional(),
    model: jsonObject,
    meta: jsonObject,
  }),
  "model.response": z.looseObject({
    attempt: z.int(),
    message,
    /** Left out where they are the message's own parts: `callsIn`. */
    calls: z.array(call).optional(),
    usage,
    stop: z.enum(["end", "calls", "length", "refusal"]),
    costUsd: z.number().nullable(),
    activeMs: z.number(),
    redacted: z.boolean().optional(),
  }),
  "model.attempt": z.looseObject({
    attempt: z.int(),
    kind: z.string(),
    message: z.string(),
    status: z.int().optional(),
    retryAfterMs: z.number().optional(),
    activeMs: z.number(),
  }),
  "tool.result": z.looseObject({ reply, activeMs: z.number() }),
  cancel: z.looseObject({ reason: z.string(), place: z.string() }),
  "port.read": z.looseObject({ port: z.enum(["exec", "files", "clock", "random", "env"]), op: z.string(), argsDigest: hash, result: json }),
  "user.input": z.looseObject({ text: z.string() }),
  "user.approval": z.looseObject({ question: jsonObject, answer: z.string().nullable() }),
} as const;

const derivedSchemas = {
  /** `keep` messages of this lane's request before, then `add`; `system` and `tools`, and their hashes, only where they changed. `root` chains the messages, `hash` covers all. */
  "model.request": z.looseObject({
    turn: z.int(),
    params,
    seed: z.int().optional(),
    systemHash: hash.optional(),
    toolsHash: hash.optional(),
    system: z.array(z.looseObject({ name: z.string(), text: z.string() })).optional(),
    tools: z.array(jsonObject).optional(),
    keep: z.int(),
    add: z.array(z.union([z.looseObject({ ref: z.string() }), z.looseObject({ message })])),
    root: hash,
    hash,
  }),
  "tool.call": z.looseObject({ turn: z.int(), index: z.int(), call }),
  middleware: z.looseObject({
    name: z.string(),
    phase: z.enum(["start", "model", "tool", "finish"]),
    change: z.string(),
    text: z.string().optional(),
    why: z.string(),
  }),
  "context.compact": z.looseObject({ turn: z.int() }),
  "agent.spawn": z.looseObject({ lane: z.string(), input: jsonObject }),
  "agent.join": z.looseObject({ lane: z.string(), outcome }),
  "limit.hit": z.looseObject({ limit: z.string(), used: z.number(), allowed: z.number() }),
  "run.end": z.looseObject({ outcome, answer: z.string(), spent }),
} as const;

export const evidenceSchemas = {
  "fs.snapshot": z.looseObject({ tree: hash }),
  "verifier.result": z.looseObject({ rewards: z.record(z.string(), z.number()).nullable(), passed: z.boolean() }),
  /** A later process ended the trace: `bytes` behind the last whole event, at `offset`, were moved into the file `aside`. */
  recovered: z.looseObject({ bytes: z.int(), offset: z.int().optional(), aside: z.string().optional() }),
  note: z.looseObject({ text: z.string() }),
} as const;

export const eventSchemas = { ...inputSchemas, ...derivedSchemas, ...evidenceSchemas } as const;
export type EventType = keyof typeof eventSchemas;
export type EventData<T extends EventType> = z.infer<(typeof eventSchemas)[T]>;

/** An event as the run emits it. The recorder adds sequence, times and hashes. `n` is its ordinal in its lane, from 0. */
export interface RunEvent {
  readonly t: EventType;
  readonly lane: string;
  readonly n: number;
  /** `lane#n` of the events this one follows from: evidence, not compared. */
  readonly cause: readonly string[];
  readonly d: JsonObject;
}

/** One line of `trace.jsonl`. */
export interface TraceLine extends RunEvent {
  readonly v: 1;
  readonly seq: number;
  /** Unix milliseconds. */
  readonly ts: number;
  /** Microseconds since the run's start. */
  readonly dt: number;
  /** Chained, time-free digest of the lane. */
  readonly s: string;
  readonly prev: string;
  readonly h: string;
}
