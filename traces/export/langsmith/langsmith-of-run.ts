import type { JsonObject } from "../../../harness/json.ts";
import { agentOfRun } from "../agent-of-run.ts";
import { wellFormed } from "../atif/well-formed.ts";
import { conversationsOf, type Conversation } from "../conversations.ts";
import type { ExportedEvent, ExportedRun } from "../exported-run.ts";
import { isObject } from "../../../harness/json.ts";
import { dataOf } from "../recorded.ts";
import { callNodes } from "./call-nodes.ts";
import {
  dottedOrder,
  treeContext,
  type LangSmithFeedback,
  type LangSmithRun,
  type LangSmithTree,
  type TreeContext,
} from "./langsmith-run.ts";

/**
 * A run as a LangSmith run tree for a project: a `chain` for the run and each subagent, below it an `llm` for each request and a `tool` for each call; verdicts
 * as feedback. The inputs of an `llm` hold the messages that the request added: all of them in each would make a long run grow with its square.
 */
export function langsmithOfRun(run: ExportedRun, project: string): LangSmithTree {
  const context = treeContext(run, project);
  const [root, ...rest] = agentNodes(conversationsOf(run.events), context, undefined).map(wellFormed);
  if (!root) throw new Error("A run that was checked begins with run.start.");
  return { runs: [root, ...rest], feedback: feedbackOf(context).map(wellFormed) };
}

/** The node of one agent and all below it. A middleware's side calls have no agent: they stand below the agent that it works for. */
function agentNodes(conversation: Conversation, context: TreeContext, parent: LangSmithRun | undefined): LangSmithRun[] {
  const { lane, events } = conversation;
  const first = events.find(({ t, lane: at }) => t === "run.start" && at === lane);
  const agent = first ? agentNode(conversation, first, context, parent) : parent;
  if (!agent) return [];
  const calls = callNodes(conversation, context, agent);
  const below = conversation.children.flatMap((child) => {
    const call = calls.find((one) => one.run_type === "tool" && child.lane.startsWith(`${one.lane}/`));
    return agentNodes(child, context, call?.node ?? agent);
  });
  return [...(first ? [agent] : []), ...calls.map(({ node }) => node), ...below];
}

function agentNode(
  { lane, events }: Conversation,
  first: ExportedEvent,
  context: TreeContext,
  parent: LangSmithRun | undefined,
): LangSmithRun {
  const { run, idOf, timeOf } = context;
  const end = events.find(({ t, lane: at }) => t === "run.end" && at === lane);
  const told = end && dataOf(end, "run.end");
  const outcome: JsonObject = told ? (told.outcome as unknown as JsonObject) : { type: "cut off" }; // recorded data is JSON
  const wrong = outcome["type"] === "error" || outcome["type"] === "cancelled";
  const id = idOf(first);
  const start = timeOf(first);
  const notes = events.flatMap((event) => notable(event, context));
  const { configuration } = metadataOf(run);
  return {
    id,
    trace_id: parent?.trace_id ?? id,
    ...(parent ? { parent_run_id: parent.id } : {}),
    dotted_order: dottedOrder(start, id, parent),
    name: parent ? `subagent ${lane}` : agentOfRun(run).name,
    run_type: "chain",
    start_time: start,
    end_time: timeOf(end ?? events.at(-1) ?? first),
    inputs: { task: dataOf(first, "run.start").input.task },
    outputs: { answer: told?.answer ?? "", outcome, spent: (told?.spent as unknown as JsonObject | undefined) ?? null }, // as above
    ...(wrong ? { error: String(outcome["message"] ?? outcome["reason"] ?? outcome["type"]) } : {}),
    ...(notes.length > 0 ? { events: notes } : {}),
    extra: { metadata: parent ? { forge_lane: lane } : metadataOf(run) },
    ...(parent || typeof configuration !== "string" ? {} : { tags: [configuration] }),
  };
}

/** What the run was, by which LangSmith can group and filter. */
function metadataOf(run: ExportedRun): JsonObject {
  const start = run.events[0]?.d ?? {};
  const part = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
  const [config, model, meta] = [part(start["config"]), part(start["model"]), part(start["meta"])];
  const trial = part(meta["trial"]);
  const agent = agentOfRun(run);
  const known: Record<string, unknown> = {
    forge_run: run.id,
    agent: agent.name,
    agent_version: agent.version,
    configuration: config["name"],
    configuration_hash: config["hash"],
    task: trial["task"],
    repeat: trial["repeat"],
    task_digest: meta["taskDigest"],
    ls_provider: model["provider"],
    ls_model_name: model["name"],
  };
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => typeof value === "string" || typeof value === "number"),
  ) as JsonObject; // looked at just now
}

/** What happened to the agent besides requests and calls. */
function notable(event: ExportedEvent, { timeOf }: TreeContext): JsonObject[] {
  if (event.t !== "middleware" && event.t !== "limit.hit" && event.t !== "cancel") return [];
  const name = event.t === "middleware" ? `middleware ${String(event.d["name"])}` : event.t;
  return [{ name, time: timeOf(event), kwargs: { ...event.d, lane: event.lane, seq: event.seq } }];
}

function feedbackOf({ run, idOf }: TreeContext): LangSmithFeedback[] {
  return run.events.flatMap((event) => {
    if (event.t !== "verifier.result") return [];
    const { rewards, passed, ...more } = dataOf(event, "verifier.result");
    const why = typeof more["why"] === "string" ? { comment: more["why"] } : {};
    const scores: [string, number][] = [...Object.entries(rewards ?? {}), ["passed", Number(passed)]];
    return [...new Map(scores)].map(([key, score]) => ({ id: idOf(`${event.seq} feedback ${key}`), key, score, ...why }));
  });
}
