import type { ServedTask } from "../../harness/models/simulated/server/served-tasks.ts";
import type { ReceivedRequest, ScriptedStatus } from "./scripted-reply.ts";
import { startStrictServer, type StrictServer } from "./strict-server.ts";

/**
 * Refuses what api.anthropic.com refuses of versions, sampling, thinking and the order of results, each rule with its place in the documentation
 * (platform.claude.com, November 2026).
 */
export const startStrictAnthropic = (tasks: readonly ServedTask[]): Promise<StrictServer> => startStrictServer(anthropicRefusal, tasks);

/** API versioning. */
const versions = ["2023-06-01", "2026-10-21"];
/** Extended thinking: those of the models in the table below, and what an agent commonly sends. */
const betas = ["interleaved-thinking-2025-05-14", "thinking-binding-controls-2026-08-01", "context-1m-2025-08-07"];

interface Family {
  readonly models: RegExp;
  /** Claude 4.7 and later: sampling other than the default is refused under the older version too. */
  readonly sampling?: true;
  /** Kinds of thinking that it takes. `disabled` of some newer models goes with an effort of at most high: not told apart here. */
  readonly thinking: readonly string[];
  readonly effort: readonly string[];
}
const upTo = (last: string): string[] => {
  const levels = ["low", "medium", "high", "xhigh", "max"];
  return levels.slice(0, levels.indexOf(last) + 1);
};
/** Extended thinking, Effort, and the pages "What's new" of each model. The first that matches. */
const families: readonly Family[] = [
  { models: /fable-5|mythos-5|(opus|sonnet)-5-5/, thinking: ["adaptive"], effort: upTo("max") },
  { models: /haiku-5-5|(opus|sonnet)-5$|opus-4-[78]/, thinking: ["adaptive", "disabled"], effort: upTo("max") },
  {
    models: /(opus|sonnet)-4-6/,
    sampling: true,
    thinking: ["adaptive", "enabled", "disabled"],
    effort: upTo("max").filter((level) => level !== "xhigh"),
  },
  { models: /opus-4-5/, sampling: true, thinking: ["enabled", "disabled"], effort: upTo("high") },
  { models: /./, sampling: true, thinking: ["enabled", "disabled"], effort: [] },
];
const defaults = { temperature: 1, top_p: 1, top_k: undefined } as const;

/** The refusal of a request, or undefined for one that the API would take. */
export function anthropicRefusal({ body, headers }: ReceivedRequest): ScriptedStatus | undefined {
  const version = headers["anthropic-version"];
  // Pasta-Devs/Marinara-Engine#120, decolua/9router#2357.
  if (version === undefined) return refused("anthropic-version: header is required");
  if (!versions.includes(String(version))) return refused(`anthropic-version: "${String(version)}" is not a valid version`);
  // pacifio/cersei#20.
  const beta = String(headers["anthropic-beta"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .find((name) => name !== "" && !betas.includes(name));
  if (beta !== undefined) return refused(`Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header`);
  const family = families.find(({ models }) => models.test(String(body["model"])));
  return refusedSampling(body, String(version), family) ?? refusedThinking(body, family) ?? refusedOrder(body);
}

/** API versioning: under 2026-10-21 any of the three, default value or not, is refused of every model. Migration guide: before, of 4.7 and later. */
function refusedSampling(body: Body, version: string, family: Family | undefined): ScriptedStatus | undefined {
  const sent = (["temperature", "top_p", "top_k"] as const).find((name) =>
    version === "2026-10-21" ? body[name] !== undefined : !family?.sampling && body[name] !== undefined && body[name] !== defaults[name],
  );
  return sent && refused(`${sent}: Extra inputs are not permitted`);
}

/** Extended thinking and Effort: by model. */
function refusedThinking(body: Body, family: Family | undefined): ScriptedStatus | undefined {
  const kind = (body["thinking"] as { type?: string } | undefined)?.type; // a client sends anything
  if (kind !== undefined && family?.thinking.includes(kind) === false)
    return refused(`"thinking.type.${kind}" is not supported for this model`);
  const effort = (body["output_config"] as { effort?: string } | undefined)?.effort;
  if (effort === undefined || family?.effort.includes(effort) !== false) return undefined;
  return refused(`output_config.effort: "${effort}" is not supported for this model`);
}

/** Handle tool calls; anthropics/claude-code#3512: results come next, and before any text. */
function refusedOrder(body: Body): ScriptedStatus | undefined {
  const messages = (body["messages"] ?? []) as { role: string; content: string | Block[] }[]; // a client sends anything
  for (const [at, { role, content }] of messages.entries()) {
    const calls = typeof content === "string" || role !== "assistant" ? [] : content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) continue;
    const next = messages[at + 1]?.content;
    const blocks = typeof next === "string" || next === undefined ? [] : next;
    const results = blocks.slice(0, blocks.findLastIndex(({ type }) => type === "tool_result") + 1);
    const unanswered = calls.find(({ id }) => !results.some((block) => block.tool_use_id === id));
    if (unanswered === undefined && results.every(({ type }) => type === "tool_result")) continue;
    return refused(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(unanswered ?? calls[0])?.id}`,
    );
  }
  return undefined;
}

type Body = ReceivedRequest["body"];
interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

const refused = (message: string): ScriptedStatus => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_strict" },
});
