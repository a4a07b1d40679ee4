import type { Effects, Part, ToolCall, ToolStatus } from "../contract/messages.ts";
import type { Clock, Question, ToolAnswer, ToolContext, Tools, User } from "../contract/ports.ts";
import { nearest } from "../text/did-you-mean.ts";
import { InfraError, messageOf } from "../errors.ts";
import type { Policy } from "../policy/policy.ts";
import { SandboxPathError, type Sandbox } from "../sandbox/sandbox.ts";
import { createEffects } from "./effects.ts";
import * as messages from "./observe/replies.ts";
import { createObserver } from "./observe.ts";
import { absolutePath } from "./sandbox-path.ts";
import { createScratchFolder } from "./scratch-folder.ts";
import type { Tool, ToolMemory, ToolOutcome, ToolRunContext } from "./tool.ts";
import { toolSchema } from "./tool-schemas.ts";
import type { z } from "zod";
import { describeIssue, keyPath } from "../config/read/describe-issue.ts";

export interface ToolsOptions {
  readonly tools: readonly Tool[];
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly user: User;
  /** Measures `activeMs`. */
  readonly clock: Clock;
  readonly redact?: (text: string) => string;
  /** Says after each call that may write what the workdir is then: evidence for the trace. Default false. */
  readonly snapshots?: boolean;
  /** Characters of content that one observation shows; default 30,000. */
  readonly maxChars?: number;
}

/** The tools of one run. `close` ends background shells that are still running; the sandbox stays open. */
export type ToolSet = Tools & { close(): Promise<void> };

/**
 * Carries out calls. Each passes, in this order: look up, mode, validate, policy and approval, execute, hygiene, redact, mark untrusted, cap,
 * effects. Whatever fails on the way is an observation that says what to do next; only an abort and `InfraError` are thrown.
 *
 * Order of the calls of one reply: a call that can change something waits until all earlier ones have finished. A call that only looks waits
 * too, unless every earlier call only looks as well: then none of them can change what another sees, so how they overlap never shows in a result.
 */
export function createTools(o: ToolsOptions): ToolSet {
  const byName = new Map(o.tools.map((tool) => [tool.name, tool]));
  const memory: ToolMemory = { seen: new Map(), shown: new Map(), shells: new Map(), todo: [] };
  const scratch = createScratchFolder(o.sandbox);
  const observe = createObserver({ ...o, scratch });
  const effects = createEffects(o.sandbox, { snapshots: o.snapshots === true });
  const approved = new Set<string>();

  const denied = (error: string, text: string): ToolOutcome => ({ status: "denied", content: [], note: text, error });
  const failed = (error: string, text: string): ToolOutcome => ({ status: "error", content: [], note: text, error });

  async function ask(question: Question, context: ToolContext): Promise<string | undefined> {
    const answer = await o.user.ask(question, context.signal);
    context.signal.throwIfAborted();
    context.emit("user.approval", { question: { ...question, choices: [...question.choices] }, answer: answer ?? null });
    return answer;
  }

  /** Policy and approval; undefined means: go ahead. */
  async function refusal(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome | undefined> {
    const decision = await o.policy.judge(
      {
        tool: tool.name,
        readOnly: tool.readOnly,
        runsCommands: tool.runsCommands ?? false,
        outside: tool.outside ?? false,
        paths: (tool.paths?.(args) ?? []).map((path) => absolutePath(o.sandbox, path)),
        summary: summaryOf(args),
        scratch: scratch.made(),
      },
      o.sandbox,
      context.signal,
    );
    if (decision.type === "deny") return denied("denied", decision.reason);
    if (decision.type === "allow" || approved.has(tool.name)) return undefined;
    const answer = await ask({ kind: "approval", text: decision.question, choices: ["yes", "no", "always"] }, context);
    if (answer === "always") approved.add(tool.name);
    if (answer === "yes" || answer === "always") return undefined;
    return answer === undefined
      ? denied("denied", messages.nobodyToAsk(decision.question))
      : denied("denied", messages.refusedByUser(tool.name));
  }

  async function run(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
    const { signal, turn, lane, spawn } = context;
    const own: ToolRunContext = {
      sandbox: o.sandbox,
      signal,
      turn,
      lane,
      memory,
      scratch,
      spawn,
      ask: (question) => ask(question, context),
    };
    try {
      return await tool.run(args, own);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof InfraError) throw error;
      if (error instanceof SandboxPathError) return failed("bad_path", error.message);
      return failed("tool_failed", messages.toolFailed(tool.name, messageOf(error)));
    }
  }

  async function call(given: ToolCall, context: ToolContext): Promise<ToolAnswer> {
    context.signal.throwIfAborted();
    const answer = async (outcome: ToolOutcome): Promise<ToolAnswer> => ({
      ...(await reply(outcome, context)),
      effects: { edited: [] },
      activeMs: 0,
    });
    if (given.error !== undefined) return answer(failed("unparsed", given.error));
    const tool = byName.get(given.name);
    if (!tool)
      return answer(failed("unknown_tool", messages.unknownTool(given.name, nearest(given.name, byName.keys()), [...byName.keys()])));
    if (o.policy.mode === "plan" && !tool.readOnly) return answer(denied("plan_mode", messages.notInPlanMode(tool.name)));
    const parsed = tool.parameters.safeParse(given.args);
    if (!parsed.success) {
      return answer(failed("bad_arguments", messages.badArguments(tool.name, describeArguments(tool.parameters, given.args))));
    }

    if (!tool.readOnly || context.earlierReadOnly !== true) await context.earlier;
    context.signal.throwIfAborted();
    const refused = await refusal(tool, parsed.data, context);
    if (refused) return answer(refused);

    if (!tool.readOnly) await effects.before(context.signal);
    const from = o.clock.now();
    const outcome = await run(tool, parsed.data, context);
    context.signal.throwIfAborted();
    const effect = await effects.after({ readOnly: tool.readOnly, outcome, signal: context.signal });
    const answered = await reply(outcome, context);
    const activeMs = Math.max(0, o.clock.now() - from);
    const snapshot = tool.readOnly ? undefined : await effects.snapshot(context.signal);
    return { ...answered, effects: redacted(effect), activeMs, ...(snapshot && { snapshot }) };
  }

  /** What is recorded is redacted; what middleware sees must be the same. */
  function redacted(effect: Effects): Effects {
    const redact = o.redact;
    if (!redact) return effect;
    const { edited, check } = effect;
    return { edited: edited.map(redact), ...(check && { check: { ...check, command: redact(check.command) } }) };
  }

  async function reply(outcome: ToolOutcome, context: ToolContext): Promise<{ status: ToolStatus; content: Part[]; error?: string }> {
    const content = await observe(outcome, context);
    return { status: outcome.status, content, ...(outcome.error !== undefined && { error: outcome.error }) };
  }

  return {
    schemas: o.tools.map(toolSchema),
    readOnly: (name) => byName.get(name)?.readOnly ?? false,
    call,
    async close() {
      for (const shell of memory.shells.values()) shell.kill();
      await Promise.all([...memory.shells.values()].map((shell) => shell.done));
    },
  };
}

/** What the person is shown of a call: its command, or its arguments. */
function summaryOf(args: unknown): string {
  const command = typeof args === "object" && args !== null && "command" in args ? args.command : undefined;
  return typeof command === "string" ? command : JSON.stringify(args);
}

/** What is wrong with the arguments of a call, in one clause that names the argument and what was expected. */
function describeArguments(schema: z.ZodType, args: unknown): string {
  const issue = describeIssue(schema, args);
  if (!issue) return "its arguments do not fit";
  const path = keyPath(issue.path);
  return path === "" ? issue.clause : `argument "${path}": ${issue.clause}`;
}
