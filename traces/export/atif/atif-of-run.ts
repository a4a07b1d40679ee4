import type { ToolSchema } from "../../../harness/contract/messages.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { conversationsOf, type Conversation } from "../conversations.ts";
import type { ExportedEvent, ExportedRun } from "../exported-run.ts";
import { agentOfRun } from "../agent-of-run.ts";
import { isObject } from "../../../harness/json.ts";
import { dataOf } from "../recorded.ts";
import { createImages } from "./images.ts";
import { stepsOf, type StepOptions } from "./steps.ts";
import { atifVersion, type Trajectory } from "./trajectory.ts";
import { wellFormed } from "./well-formed.ts";

export interface AtifExport {
  readonly trajectory: Trajectory;
  /** Images that steps name, by their path beside the trajectory. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * A run as a trajectory of ATIF v1.7. A step is what the model was told (system prompt, task, messages of middleware, in the order in which requests brought
 * them) or what it answered, with its calls and their results. Subagents and side calls of middleware are embedded.
 */
export function atifOfRun(run: ExportedRun): AtifExport {
  const images = createImages();
  const byReference = new Map(run.events.map((event) => [`${event.lane}#${event.n}`, event]));
  const eventAt = (reference: string): ExportedEvent | undefined => byReference.get(reference);
  const trajectory = trajectoryOf(conversationsOf(run.events), { run, images, root: true, eventAt });
  return { trajectory: wellFormed(trajectory), files: images.files };
}

interface Context extends Pick<StepOptions, "images" | "eventAt"> {
  readonly run: ExportedRun;
  readonly root: boolean;
}

function trajectoryOf(conversation: Conversation, o: Context): Trajectory {
  const { run } = o;
  const idOf = (lane: string): string => `${run.id}/${lane}`;
  const steps = stepsOf(conversation, { ...o, idOf });
  const subagents = conversation.children.map((child) => trajectoryOf(child, { ...o, root: false }));
  return {
    schema_version: atifVersion,
    session_id: run.id,
    trajectory_id: o.root ? run.id : idOf(conversation.lane),
    agent: agentOf(conversation, run),
    steps,
    final_metrics: { ...sumsOf(conversation), total_steps: steps.length },
    extra: o.root ? rootFacts(run) : { lane: conversation.lane },
    ...(subagents.length > 0 ? { subagent_trajectories: subagents } : {}),
  };
}

function agentOf({ lane, events }: Conversation, run: ExportedRun): Trajectory["agent"] {
  const start = run.events[0]?.d ?? {};
  const config = isObject(start["config"]) ? start["config"] : {};
  const { name, version } = agentOfRun(run);
  const model = isObject(config["model"]) ? config["model"] : {};
  const request = events.find((event) => event.t === "model.request");
  const tools = request ? (dataOf(request, "model.request").tools as unknown as ToolSchema[] | undefined) : undefined; // checked by L0's hashes
  const middleware = Array.isArray(config["middleware"]) ? config["middleware"] : [];
  const byMiddleware = /\/mw:([^/]+)$/.exec(lane)?.[1];
  return {
    name: byMiddleware === undefined ? name : `${name}/${byMiddleware}`,
    version,
    ...(typeof model["name"] === "string" ? { model_name: model["name"] } : {}),
    ...(tools && tools.length > 0
      ? { tool_definitions: tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })) } // prettier-ignore
      : {}),
    extra: {
      ...(typeof config["name"] === "string" ? { configuration: config["name"] } : {}),
      ...(typeof config["hash"] === "string" ? { configuration_hash: config["hash"] } : {}),
      ...(typeof model["protocol"] === "string" ? { protocol: model["protocol"] } : {}),
      middleware: middleware.flatMap((one) => (isObject(one) && typeof one["name"] === "string" ? [one["name"]] : [])),
    },
  };
}

/** Of the conversation and all below it; what was imported without numbers for each reply has them at its end. The cost is left out as soon as one reply has no known price. */
function sumsOf(conversation: Conversation): NonNullable<Trajectory["final_metrics"]> {
  const sums = { input: 0, output: 0, cached: 0, costUsd: 0 as number | null, activeMs: 0 };
  const add = ({ events, children }: Conversation): void => {
    for (const event of events) {
      if (typeof event.d["activeMs"] === "number") sums.activeMs += event.d["activeMs"];
      if (event.t !== "model.response") continue;
      const { usage, costUsd } = dataOf(event, "model.response");
      sums.input += usage.input;
      sums.output += usage.output;
      sums.cached += usage.cached;
      sums.costUsd = sums.costUsd === null || costUsd === null ? null : sums.costUsd + costUsd;
    }
    children.forEach(add);
  };
  add(conversation);
  if (sums.input + sums.output === 0) {
    const end = conversation.events.find(({ t }) => t === "run.end");
    if (end) Object.assign(sums, { ...dataOf(end, "run.end").spent, activeMs: sums.activeMs });
  }
  return {
    total_prompt_tokens: sums.input,
    total_completion_tokens: sums.output,
    total_cached_tokens: sums.cached,
    ...(sums.costUsd === null ? {} : { total_cost_usd: sums.costUsd }),
    extra: { active_ms: sums.activeMs },
  };
}

/** What is known of the run besides the conversation. */
function rootFacts({ events, sealed }: ExportedRun): JsonObject {
  const start = events[0]?.d ?? {};
  const facts: JsonObject = { sealed };
  for (const key of ["seed", "meta"]) if (start[key] !== undefined) facts[key] = start[key];
  for (const { t, lane, d } of events) {
    if (t === "run.end" && lane === "main" && d["outcome"] !== undefined) facts["outcome"] = d["outcome"];
    if (t === "verifier.result") facts["verifier"] = d;
    if (t === "fs.snapshot" && Array.isArray(d["changed"])) facts["changed_files"] = d["changed"];
  }
  return facts;
}
