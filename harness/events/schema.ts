import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { outcomeSchema as outcome } from "./outcome-schema.ts";

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
  check: z
    .union([
      z.looseObject({ command: z.string(), result: z.enum(["passed", "failed", "unknown"]) }),
      z.looseObject({ command: z.string(), passed: z.boolean() }),
    ])
    .optional(),
});
const reply = z.looseObject({ status: z.enum(["ok", "error", "denied", "timeout"]), content: z.array(part), effects });
const usage = z.looseObject({ input: z.int(), output: z.int(), cached: z.int() });
const activeMs = z.number().describe("Milliseconds that it took; served again on replay.");
const params = z.looseObject({ maxOutputTokens: z.int() }).describe("Also `effort`, `temperature` and `topP` where they are set.");
const source = jsonObject.optional().describe("In imported runs alone: what else the record that it was made of held.");
const attempt = z.int().describe("0 for the first try at this request.");
const turn = z.int().describe("Turn of the lane's conversation, from 1.");
const costUsd = z.number().nullable().describe("USD; null where no price is known.");
const spent = z.looseObject({
  turns: z.int(),
  input: z.int(),
  output: z.int(),
  cached: z.int(),
  costUsd: z.number().nullable(),
  activeMs: z.number(),
});

const inputSchemas = {
  "run.start": z
    .looseObject({
      config: jsonObject.describe(
        "The resolved configuration, everything filled in: see *The configuration of a run*. A subagent's is `{hash}` alone, an imported run's what was known.",
      ),
      input: z.looseObject({ task: z.string() }).describe("`task`, and `images` where it has some."),
      seed: z.int().optional().describe("Sampling seed, for providers that take one."),
      model: jsonObject.describe("What was requested: `provider`, `name`, `protocol` (`native`, `text`, `grammar`), `priceTable`."),
      meta: jsonObject.describe(
        "Versions, task digest, image digest, sandbox, workdir, parent, what it was imported from: nothing that the loop reads.",
      ),
    })
    .describe(
      "A run begins: the resolved configuration with every prompt and tool schema, and what it is to do. A subagent's has only the hash.",
    ),
  "model.response": z
    .looseObject({
      attempt,
      message: message.describe("What the model said: parts of `type` `text`, `thinking` or `call`."),
      calls: z.array(call).optional().describe("Left out where they are the message's own parts."),
      usage: usage.describe("Tokens; `input` counts `cached` ones too, `output` those of `reasoning`."),
      stop: z
        .enum(["end", "calls", "length", "refusal"])
        .describe("Why it stopped: at its end, to call, at the token limit, or it refused."),
      cutAt: z.string().optional().describe("Where the harness stopped reading: only the beginning of each text was kept."),
      costUsd,
      served: jsonObject
        .optional()
        .describe(
          "What replied, as far as the provider reports: `model`, `fingerprint`, `requestId`, and `removed`, earlier reasoning that it left out.",
        ),
      sent: jsonObject
        .optional()
        .describe("What the request held on its wire: `wire`, the length, effort or thinking, and `dropped`, what the server had refused."),
      activeMs,
      observed: jsonObject
        .optional()
        .describe(
          "Of another agent's run: `translated` from which wire, or the `status`, `type` and `body` of the reply as the provider sent it.",
        ),
      redacted: z.boolean().optional().describe("Secrets were taken out of the record; the run acted on what the model really said."),
      source,
    })
    .describe("The model's reply to the request that `cause` names."),
  "model.attempt": z
    .looseObject({
      attempt,
      kind: z
        .string()
        .describe(
          "Tried again: `timeout`, `rate_limit`, `overloaded`, `server`, `connection`, `stream`, `conflict`. Not: `invalid`, `parameter`, `auth`, `not_found`, `quota`, `context`. `cut`: no failure, the run was ended from outside during the try.",
        ),
      message: z.string().describe("What went wrong, for people."),
      status: z.int().optional().describe("HTTP status, where there was a response."),
      retryAfterMs: z.number().optional().describe("Milliseconds that the provider asked to wait."),
      stage: z
        .enum(["queued", "held", "sent", "answering"])
        .optional()
        .describe(
          "Of `cut`, how far the try had come: `queued` behind others of its account, `held` back because the provider had limited the rate, `sent` and nothing had come back, `answering`.",
        ),
      silentMs: z
        .number()
        .optional()
        .describe(
          "Of `cut`: milliseconds since the last part of the reply; before the first part, since the request was sent; before that, since it was due.",
        ),
      activeMs,
    })
    .describe(
      "A try at a request that failed: a rate limit, an overload, a stream that broke, or one that the end of the run cut off. The next try is the next attempt.",
    ),
  "tool.result": z
    .looseObject({
      callId: z.string().optional().describe("The call's `id`."),
      name: z.string().optional().describe("The tool."),
      reply: reply.describe(
        "`status` is `ok`, `error`, `denied` (by a policy or a person) or `timeout`; `content` are parts of `type` `text` or `image`; `effects` has the files `edited` and the `check` that ran, with its `command` and its `result`: `passed`, `failed` or `unknown`, with the reason `why` (`masked`: the exit code is another program's; `chain`: something beside it may have failed; `timeout`, `signal`, `contradicted`). Older runs have `passed`, true or false, in its place.",
      ),
      activeMs,
      source,
    })
    .describe(
      "What the registry returned for a call, before any middleware saw it. `effects` says which files changed and which check ran.",
    ),
  cancel: z
    .looseObject({
      reason: z.string().describe("What ended it; `DeadlineError` where its time was over."),
      place: z.string().describe("`start`, `before model`, `model`, `tools` or `finish`."),
      error: z.string().optional().describe("`infra` where not a person but the machinery ended it."),
    })
    .describe("The run was ended from outside, at this place of the loop."),
  "port.read": z
    .looseObject({
      port: z.enum(["exec", "files", "clock", "random", "env"]).describe("Nothing in this version calls `env`."),
      op: z.string().describe("`exec` of `exec`; `read` and `write` of `files`; `now` of `clock`; `next` of `random`."),
      argsDigest: hash.describe("Over the call's arguments as JSON; a written file is in them as its hash."),
      result: json.describe(
        "The result: `{status, exitCode, stdout, stderr}`, a file's text or null, true, Unix milliseconds, a number in [0, 1). `{failed, message}`, with `failed` `path`, `infra` or `other`, where there was none.",
      ),
    })
    .describe("What a port returned to a middleware, in the middleware's lane."),
  "user.input": z
    .looseObject({ text: z.string().describe("What was said."), source })
    .describe(
      "What a person said in the middle of a run. Imported runs of other agents have it; a run of Forge's own loop gets everything with its task.",
    ),
  "user.approval": z
    .looseObject({
      question: jsonObject.describe("`kind` (`approval` or `question`), `text`, and the `choices` there were."),
      answer: z.string().nullable().describe("What was answered, or null."),
    })
    .describe("A question to the person at the terminal, and the answer; null: no person was there."),
} as const;

const derivedSchemas = {
  "model.request": z
    .looseObject({
      turn,
      params,
      seed: z.int().optional().describe("As in `run.start`."),
      systemHash: hash.optional().describe("Of `system`."),
      toolsHash: hash.optional().describe("Of `tools`."),
      system: z
        .array(z.looseObject({ name: z.string(), text: z.string() }))
        .optional()
        .describe("Like `tools` and the hashes of both, only where it is another one than in this lane's request before."),
      tools: z.array(jsonObject).optional().describe("Each with `name`, `description`, and `parameters` as JSON Schema."),
      keep: z.int().describe("So many messages of this lane's request before, then those of `add`."),
      add: z
        .array(z.union([z.looseObject({ ref: z.string() }), z.looseObject({ message })]))
        .describe("`ref`: the event (`lane#n`) that holds the message, or the one that a request brought (`lane#n+i`)."),
      root: hash.describe("Chains the hashes of all messages."),
      hash: hash.describe("Covers parameters, seed, system prompt, tools and messages."),
      observed: jsonObject
        .optional()
        .describe(
          "Of another agent's run, which the gateway saw: `wire`, `path`, `stream`, `bytes` and `sha256` of the body as it came, `fields` of it that are in no other place, `sinceMs` since the run's last reply, and `lane`, where the client itself places the request.",
        ),
    })
    .describe("A request as it went out, each message stored once and then referred to."),
  "tool.call": z
    .looseObject({
      turn,
      index: z.int().describe("Place among the calls of its turn, from 1: with `turn` it makes the lane."),
      call: call.describe("After all middleware. `error` is set where a protocol could not parse it."),
      source,
    })
    .describe("A call as it reached the registry, in its own lane."),
  middleware: z
    .looseObject({
      name: z
        .string()
        .describe("The middleware; `loop` for the loop itself, which responds to a reply that is cut, empty or a printed call."),
      phase: z
        .enum(["start", "model", "tool", "finish"])
        .describe("Before the first request, around a model call, around a tool call, or at the end."),
      change: z
        .string()
        .describe(
          "`inject`: a message into the conversation; `system` or `message`: a prompt section or a message at the start; `resume`: a message in place of the end. `changed … of the call`, `changed … of the reply` and `answered in place of the call` are noted by the loop of one that changed something without a word. Anything else is the middleware's own words.",
        ),
      text: z.string().optional().describe("What it put in."),
      why: z.string().describe("Its reason; `start` at the start, `not stated` where the loop noted it."),
    })
    .describe("One intervention of one middleware: what it changed and why."),
  "context.compact": z
    .looseObject({ turn: z.int().describe("Turns of the lane until then.") })
    .describe(
      "The conversation was shortened and starts again with what follows. Imported runs of agents that record this have it; a middleware of Forge that shortens a request is seen in the request.",
    ),
  "agent.spawn": z
    .looseObject({
      lane: z.string().describe("The subagent's: `sub0`, `sub1`, … below this one."),
      input: jsonObject.describe("Its `task`."),
    })
    .describe("A subagent begins in the nested lane."),
  "agent.join": z.looseObject({ lane: z.string().describe("The subagent's."), outcome }).describe("The subagent of that lane has ended."),
  "limit.hit": z
    .looseObject({
      limit: z.string().describe("`turns`, `tokens`, `costUsd`, `activeMs` or `output`."),
      used: z.number().describe("Of the limit: turns, tokens, USD, milliseconds; of `output` the tokens of the reply."),
      allowed: z.number().describe("In the same unit; a subagent has what its parent had left."),
    })
    .describe(
      "A limit ends the run. The limits `context` and `deadline` have no such event: a `model.attempt` or a `cancel` records them.",
    ),
  "run.end": z
    .looseObject({
      outcome,
      answer: z.string().describe("Text of the model's last message."),
      spent: spent.describe(
        "Sums over the run with its subagents and side calls; `turns` counts the model calls of this lane's conversation, `costUsd` is null as soon as one call has no known price.",
      ),
    })
    .describe("How the run ended, its last words, and what it used."),
} as const;

export const evidenceSchemas = {
  "fs.snapshot": z
    .looseObject({
      tree: hash.describe("In the lane `trial` the workspace hash; in `fs` over `files` alone, so the two are never the same."),
      files: z.int().optional().describe("In the lane `fs`: how many there are."),
      changed: z.array(z.string()).optional().describe("Paths in the workdir, the first ones where `counts` is larger."),
      removed: z.array(z.string()).optional().describe("Paths that are gone, cut as those."),
      refused: z
        .array(z.string())
        .optional()
        .describe(
          "In the lane `trial`: what the workspace hash does not cover, each path with its reason, such as a socket; cut as those.",
        ),
      counts: z
        .looseObject({ changed: z.int(), removed: z.int(), refused: z.int().optional() })
        .optional()
        .describe("How many there were in all, `refused` ones in the lane `trial`."),
    })
    .describe(
      "What the workdir holds: in the lane `trial` as the agent left it, in `fs` after the call whose result `cause` names, where that is another state than before.",
    ),
  "verifier.result": z
    .looseObject({
      rewards: z.record(z.string(), z.number()).nullable().describe("By name, as the verifier wrote them; null where it wrote none."),
      passed: z.boolean().describe("Whether the task counts as solved."),
      score: z
        .number()
        .nullable()
        .optional()
        .describe("The reward named `reward`, else the mean of all; null where nothing could be judged."),
      mode: z.string().optional().describe("How it was verified: `official` or `hardened`."),
      why: z.string().optional().describe("Where there is no verdict: what went wrong."),
      report: z.string().nullable().optional().describe("In imported runs alone: what the verifier printed; null where that is not known."),
    })
    .describe("The verdict of the task's verifier."),
  recovered: z
    .looseObject({
      bytes: z.int().describe("Bytes that were moved; 0 where the last event was whole."),
      offset: z.int().optional().describe("Byte of `trace.jsonl` at which they were."),
      aside: z.string().optional().describe("The file they are in, `torn-<offset>`; left out where there were none."),
    })
    .describe("A later process ended the trace: so many bytes behind the last whole event, at `offset`, were moved into the file `aside`."),
  note: z
    .looseObject({
      text: z
        .string()
        .describe(
          "The note. Beside it is what it is about: in the lane `import` the `kind` and the whole `record` that was kept; in `trial`, where the workdir has no hash, what `fs.snapshot` would have beside it.",
        ),
    })
    .describe("Anything else worth knowing: why a workdir has no hash, the commit of a checkpoint, what an importer did not know."),
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
