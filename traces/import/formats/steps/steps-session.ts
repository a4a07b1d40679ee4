import type { Outcome } from "../../../../harness/contract/run-result.ts";
import { sha256 } from "../../../../harness/hash/sha256.ts";
import type { JsonObject } from "../../../../harness/json.ts";
import type { NotKnown } from "../../../read/imported.ts";
import type { ImportedItem, ImportedSession } from "../../imported-session.ts";
import { listIn, rest } from "../lenient-fields.ts";
import { endsWithAnswer, lacksExitCode, stepsItems, timeOf } from "./steps-items.ts";
import { labelFields, runFields, stepsRunSchema, type StepsRun } from "./steps-schema.ts";

/** What a run in the form `steps` is as a session. `raw` fits the form. */
export function stepsSession(raw: JsonObject, { file, name, digest }: { file: string; name: string; digest: string }): ImportedSession {
  const run = stepsRunSchema.parse(raw);
  const [first] = run.steps;
  const began = timeOf(run.started_at) ?? timeOf(run.steps.find(({ t }) => t !== null && t !== undefined)?.t);
  const used = run.usage ?? {};
  const { n_input_tokens: input, n_output_tokens: output, n_cache_tokens: cached, cost_usd: costUsd } = used;
  const counted = typeof input === "number" && typeof output === "number";
  const prompt = [run.preamble_system ?? "", ...(run.preamble ?? []).map(({ text }) => text)].filter((text) => text !== "").join("\n\n");
  const end = endOf(run);
  const judged = typeof run.passed === "boolean";
  const rewards = rewardsOf(run);
  const others = rest(raw, [...runFields, ...labelFields]);
  const unjudged = judged || (rewards === null && typeof run.verifier !== "string") ? undefined : { rewards, report: run.verifier ?? null };
  const missing: readonly (readonly [NotKnown, boolean])[] = [
    ["effects", true],
    ["checks", true],
    ["tools", true],
    ["tokens", true],
    ["cost", true],
    ["time", true],
    ["exitCode", run.steps.some(lacksExitCode)],
    ["totalTokens", !counted],
    ["totalCost", typeof costUsd !== "number"],
    ["begun", began === undefined],
    ["model", (run.model ?? "") === ""],
    ["verdict", !judged],
    ["reward", rewards === null],
    ["report", typeof run.verifier !== "string"],
    ["end", end === undefined && !endsWithAnswer(run.steps)],
  ];
  return {
    format: "steps",
    name,
    file,
    digest,
    agent: { name: run.agent, version: run.agent_version ?? "unknown" },
    model: run.model ?? "",
    taskName: run.task,
    ...(began === undefined ? {} : { startedAt: began }),
    tools: [],
    items: [
      ...(prompt === "" ? [] : [{ type: "system" as const, text: prompt }]),
      { type: "user", content: [{ type: "text", text: run.instruction }] },
      ...stepsItems(run.steps, listIn(raw, "steps")),
      ...noteOf("other fields", others),
      ...noteOf("verifier without a verdict", unjudged),
    ],
    outcome: end ?? (endsWithAnswer(run.steps) ? { type: "done" } : { type: "cancelled", reason: "how the run ended is not known" }),
    ...(typeof run.passed === "boolean" ? { verdict: { rewards, passed: run.passed, report: run.verifier ?? null } } : {}),
    totals: { input: counted ? input : 0, output: counted ? output : 0, cached: (counted ? cached : 0) ?? 0, costUsd: costUsd ?? null },
    notKnown: missing.flatMap(([word, lacking]) => (lacking ? [word] : [])),
    facts: {
      name,
      session:
        run.run ?? sha256(JSON.stringify([run.agent, run.model, run.started_at, first?.i, first?.thought, first?.action])).slice(0, 16),
      config: (run.config ?? {}) as JsonObject, // JSON by the schema
      usage: used as JsonObject, // as above
      ended: run.ended ?? "",
      startedAt: run.started_at ?? "",
      finishedAt: run.finished_at ?? "",
    },
  };
}

const noteOf = (kind: string, record: JsonObject | undefined): ImportedItem[] => (record ? [{ type: "record", kind, record }] : []);

function rewardsOf({ reward, rewards }: StepsRun): Record<string, number> | null {
  const given = Object.entries({ ...rewards, ...(typeof reward === "number" ? { reward } : {}) });
  const numbers = given.filter((one): one is [string, number] => typeof one[1] === "number");
  return numbers.length > 0 ? Object.fromEntries(numbers) : null;
}

const limits = ["turns", "tokens", "costUsd", "activeMs", "context"] as const;

/** What its end is in our words; undefined for what says nothing of the agent, such as how its verification went. */
function endOf({ ended }: StepsRun): Outcome | undefined {
  const text = ended ?? "";
  if (/^(?:done|submitted)$/i.test(text)) return { type: "done" };
  const limit = limits.find((name) => text === `limit ${name}`);
  if (limit) return { type: "limit", limit };
  if (/^\w*(?:timeout|deadline)/i.test(text)) return { type: "limit", limit: "activeMs" };
  if (/^Cancel/i.test(text)) return { type: "cancelled", reason: text.slice(0, 2000) };
  return /^(?:error\b|\w*(?:Error|Exception)\b)/.test(text) ? { type: "error", kind: "agent", message: text.slice(0, 2000) } : undefined;
}
