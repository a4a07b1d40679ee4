import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnalyzedRun } from "../../analyzer/runs/analyzed-run.ts";
import { viewRun } from "../../analyzer/runs/view-run.ts";
import type { ToolStatus } from "../../harness/contract/messages.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { writeRun } from "../traces/write-run.ts";

/** A call and what came back. */
export interface MadeCall {
  readonly tool?: string;
  /** A shell command, or all arguments. */
  readonly args: string | JsonObject;
  readonly output?: string;
  readonly status?: ToolStatus;
  readonly error?: string;
  readonly edited?: readonly string[];
  readonly check?: { readonly command: string; readonly passed: boolean };
  /** The protocol could not read it. */
  readonly unreadable?: string;
  /** A middleware answered in its place: no call reaches the registry. */
  readonly deniedBy?: string;
}

export interface MadeTurn {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly MadeCall[];
  readonly stop?: "end" | "calls" | "length" | "refusal";
  readonly outputTokens?: number;
}

export interface MadeRun {
  readonly name?: string;
  readonly instruction?: string;
  readonly task?: string;
  readonly family?: string;
  readonly configuration?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly turns: readonly MadeTurn[];
  readonly outcome?: JsonObject & { readonly type: string };
  readonly passed?: boolean;
  readonly report?: string;
  /** Why the verifier gave no reward. */
  readonly noVerdict?: string;
  /** A format: the run is another agent's. */
  readonly imported?: string;
  /** It ran in a bench, and the gateway saw its requests: another agent's too. */
  readonly throughGateway?: boolean;
  /** The conversation is shortened after so many turns. */
  readonly compactedAfter?: number;
  /** Put before `run.end`. */
  readonly more?: readonly Omit<RunEvent, "n" | "cause">[];
}

const hash = "0".repeat(64);
const usage = (output: number): JsonObject => ({ input: 100, output, cached: 0 });

/** The events of a run as the loop records them. */
export function eventsOf(made: MadeRun): RunEvent[] {
  const { instruction = "Make it work.", configuration = "bare", model = "local/small", tools = ["bash"], imported } = made;
  const counts = new Map<string, number>();
  const events: RunEvent[] = [];
  const add = (t: RunEvent["t"], lane: string, d: JsonObject): void => {
    const n = counts.get(lane) ?? 0;
    counts.set(lane, n + 1);
    events.push({ t, lane, n, cause: [], d });
  };
  add("run.start", "main", {
    config: {
      name: configuration,
      hash: imported === undefined ? hash : "",
      model: { name: model, protocol: "native", maxOutputTokens: 4096 },
      system: [{ name: "identity", text: "You are a coding agent that works until it is done." }],
      tools: tools.map((name) => ({ name, description: "", parameters: {} })),
      middleware: [],
      limits: { turns: 50 },
      ...(made.throughGateway === true ? { agent: { name: "scripted", wire: "openai-chat" } } : {}),
    },
    input: { task: instruction },
    model: { provider: model.split("/")[0] ?? "", name: model, protocol: "native", priceTable: null },
    meta: {
      agent: "configured",
      trial: { task: made.task ?? "a-task", configuration, ...(made.family === undefined ? {} : { family: made.family }) },
      ...(imported === undefined ? {} : { imported: { format: imported, sha256: hash } }),
      ...(made.throughGateway === true ? { gateway: { notKnown: ["effects", "checks", "exitCode"] } } : {}),
    },
  });
  let answered: JsonObject[] = [];
  for (const [i, { text = "", thinking, calls = [], stop, outputTokens = 20 }] of made.turns.entries()) {
    const turn = i + 1;
    if (made.compactedAfter === i) add("context.compact", "main", { turn: i });
    add("model.request", "main", { turn, params: { maxOutputTokens: 4096 }, keep: 0, add: answered, root: hash, hash });
    answered = [];
    const asked = calls.map(({ tool = "bash", args, unreadable }, k) => ({
      id: `c${turn}.${k}`,
      name: tool,
      args: typeof args === "string" ? { command: args } : args,
      ...(unreadable === undefined ? {} : { error: unreadable }),
    }));
    const content = [
      ...(thinking === undefined ? [] : [{ type: "thinking", text: thinking }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
    ];
    add("model.response", "main", {
      attempt: 0,
      message: { role: "assistant", content },
      calls: asked,
      usage: usage(outputTokens),
      stop: stop ?? (asked.length > 0 ? "calls" : "end"),
      costUsd: null,
      activeMs: 10,
    });
    for (const [k, call] of asked.entries()) {
      const { output = "", status = "ok", error, edited = [], check, deniedBy } = calls[k] ?? { args: "" };
      const lane = `main/${turn}.${k + 1}`;
      if (deniedBy !== undefined) {
        add("middleware", `${lane}/mw:${deniedBy}`, { name: deniedBy, phase: "tool", change: "refused", why: "test" });
        const message = { role: "tool", callId: call.id, name: call.name, status: "denied", content: [{ type: "text", text: output }] };
        answered.push({ message });
        continue;
      }
      add("tool.call", lane, { turn, index: k + 1, call });
      const effects = {
        edited: [...edited],
        ...(check ? { check: { command: check.command, result: check.passed ? "passed" : "failed" } } : {}),
      };
      const reply = { status, content: [{ type: "text", text: output }], effects, ...(error === undefined ? {} : { error }) };
      add("tool.result", lane, { callId: call.id, name: call.name, reply, activeMs: 5 });
    }
  }
  for (const { t, lane, d } of made.more ?? []) add(t, lane, d);
  add("run.end", "main", {
    outcome: made.outcome ?? { type: "done" },
    answer: made.turns.at(-1)?.text ?? "",
    spent: { turns: made.turns.length, input: 100, output: 20, cached: 0, costUsd: null, activeMs: 100 },
  });
  if (made.passed !== undefined)
    add("verifier.result", "trial", {
      rewards: { reward: made.passed ? 1 : 0 },
      passed: made.passed,
      score: made.passed ? 1 : 0,
      ...(made.noVerdict === undefined ? {} : { why: made.noVerdict }),
    });
  return events;
}

/** A run that was really recorded, as detectors see it. */
export async function makeRun(made: MadeRun): Promise<AnalyzedRun> {
  const folder = mkdtempSync(join(tmpdir(), "forge-made-"));
  try {
    writeRun(folder, eventsOf(made));
    return viewRun(await loadTrace(folder), { name: made.name ?? "run", record: undefined, report: made.report ?? "" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
