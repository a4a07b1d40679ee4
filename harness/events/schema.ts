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
const activeMs = z.number().describe("Milliseconds that it took; served again on replay.");
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
  "run.start": z
    .looseObject({
      config: jsonObject,
      input: z.looseObject({ task: z.string() }),
      seed: z.int().optional(),
      model: jsonObject,
      meta: jsonObject.describe(
        "Versions, task digest, image digest, sandbox, workdir, parent, what it was imported from: nothing that the loop reads.",
      ),
    })
    .describe(
      "A run begins: the resolved configuration with every prompt and tool schema, and what it is to do. A subagent's has only the hash.",
    ),
  "model.response": z
    .looseObject({
      attempt: z.int(),
      message,
      calls: z.array(call).optional().describe("Left out where they are the message's own parts."),
      usage,
      stop: z.enum(["end", "calls", "length", "refusal"]),
      costUsd: z.number().nullable(),
      activeMs,
      redacted: z.boolean().optional().describe("Secrets were taken out of the record; the run acted on what the model really said."),
    })
    .describe("The model's answer to the request that `cause` names."),
  "model.attempt": z
    .looseObject({
      attempt: z.int(),
      kind: z.string(),
      message: z.string(),
      status: z.int().optional(),
      retryAfterMs: z.number().optional(),
      activeMs,
    })
    .describe("A try at a request that failed: a rate limit, an overload, a stream that broke. The next try is the next attempt."),
  "tool.result": z
    .looseObject({ reply, activeMs })
    .describe(
      "What the registry answered to a call, before any middleware saw it. `effects` says which files changed and which check ran.",
    ),
  cancel: z.looseObject({ reason: z.string(), place: z.string() }).describe("The run was ended from outside, at this place of the loop."),
  "port.read": z
    .looseObject({ port: z.enum(["exec", "files", "clock", "random", "env"]), op: z.string(), argsDigest: hash, result: json })
    .describe("What a port answered to a middleware, in the middleware's lane."),
  "user.input": z
    .looseObject({ text: z.string() })
    .describe("What a person said in the middle of a run. No part of this version writes it."),
  "user.approval": z
    .looseObject({ question: jsonObject, answer: z.string().nullable() })
    .describe("A question to the person at the terminal, and the answer; null: nobody was there."),
} as const;

const derivedSchemas = {
  "model.request": z
    .looseObject({
      turn: z.int(),
      params,
      seed: z.int().optional(),
      systemHash: hash.optional(),
      toolsHash: hash.optional(),
      system: z
        .array(z.looseObject({ name: z.string(), text: z.string() }))
        .optional()
        .describe("Like `tools` and the hashes of both, only where it is another one than in this lane's request before."),
      tools: z.array(jsonObject).optional(),
      keep: z.int().describe("So many messages of this lane's request before, then those of `add`."),
      add: z
        .array(z.union([z.looseObject({ ref: z.string() }), z.looseObject({ message })]))
        .describe("`ref`: the event (`lane#n`) that holds the message, or the one that a request brought (`lane#n+i`)."),
      root: hash.describe("Chains the hashes of all messages."),
      hash: hash.describe("Covers parameters, seed, system prompt, tools and messages."),
    })
    .describe("A request as it went out, each message stored once and then referred to."),
  "tool.call": z.looseObject({ turn: z.int(), index: z.int(), call }).describe("A call as it reached the registry, in its own lane."),
  middleware: z
    .looseObject({
      name: z.string(),
      phase: z.enum(["start", "model", "tool", "finish"]),
      change: z.string(),
      text: z.string().optional(),
      why: z.string(),
    })
    .describe("One intervention of one middleware: what it changed and why."),
  "context.compact": z
    .looseObject({ turn: z.int() })
    .describe(
      "The conversation was shortened. No part of this version writes it: a middleware that shortens a request is seen in the request.",
    ),
  "agent.spawn": z.looseObject({ lane: z.string(), input: jsonObject }).describe("A subagent begins in the nested lane."),
  "agent.join": z.looseObject({ lane: z.string(), outcome }).describe("The subagent of that lane has ended."),
  "limit.hit": z.looseObject({ limit: z.string(), used: z.number(), allowed: z.number() }).describe("A limit ends the run."),
  "run.end": z.looseObject({ outcome, answer: z.string(), spent }).describe("How the run ended, its last words, and what it used."),
} as const;

export const evidenceSchemas = {
  "fs.snapshot": z
    .looseObject({
      tree: hash.describe("In the lane `trial` the workspace hash; in `fs` over `files` alone, so the two are never the same."),
      files: z.int().optional(),
      changed: z.array(z.string()).optional().describe("Paths in the workdir, the first ones where `counts` says more."),
      removed: z.array(z.string()).optional(),
      counts: z.looseObject({ changed: z.int(), removed: z.int() }).optional(),
    })
    .describe(
      "What the workdir holds: in the lane `trial` as the agent left it, in `fs` after the call whose result `cause` names, where that is another state than before.",
    ),
  "verifier.result": z
    .looseObject({ rewards: z.record(z.string(), z.number()).nullable(), passed: z.boolean() })
    .describe("What the task's verifier said of the work."),
  recovered: z
    .looseObject({ bytes: z.int(), offset: z.int().optional(), aside: z.string().optional() })
    .describe("A later process ended the trace: so many bytes behind the last whole event, at `offset`, were moved into the file `aside`."),
  note: z.looseObject({ text: z.string() }).describe("Anything else worth knowing."),
} as const;

/** The types by what a replay does with them. */
export const eventKinds = {
  input: Object.keys(inputSchemas),
  derived: Object.keys(derivedSchemas),
  evidence: Object.keys(evidenceSchemas),
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
