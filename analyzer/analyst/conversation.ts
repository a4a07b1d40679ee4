import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { harnessHash } from "../../harness/config/harness-hash.ts";
import type { Section } from "../../harness/contract/messages.ts";
import type { ResolvedConfig, ResolvedModel } from "../../harness/contract/resolved-config.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { JsonObject } from "../../harness/json.ts";
import { protocolPrompt } from "../../harness/models/protocols/text-prompts.ts";
import { rowOf } from "../../harness/models/families/find-row.ts";
import { knownProviders, wireOf } from "../../harness/models/providers/known-providers.ts";
import { toolSchema } from "../../harness/tools/tool-schemas.ts";
import type { Tool } from "../../harness/tools/tool.ts";
import { readSeal } from "../../traces/format/seal.ts";
import { loadTrace, type LoadedTrace } from "../../traces/read/load-trace.ts";
import { numberOf, objectOf, wordOf } from "../runs/steps-of.ts";
import type { Analyst } from "./analyst.ts";
import { promptVersion } from "./prompts/one-call.ts";

/** One conversation with the analyst's model, before anything is asked. */
export interface Question {
  /** Of the folder below the analysis: the same question has the same one. */
  readonly key: string;
  readonly name: string;
  readonly system: string;
  readonly task: string;
  /** The run that is asked about; left out: several. */
  readonly about?: string | undefined;
  readonly tools: readonly Tool[];
  /** Replies are held to it where the server takes a schema. */
  readonly schema?: JsonObject | undefined;
  readonly turns: number;
  readonly costUsd?: number | undefined;
}

const maxOutputTokens = 2048;

/**
 * Asks, and returns the recorded conversation. One that was recorded to its end is not asked again; of one whose process was ended, every reply that arrived
 * is served from its recording, and only what is missing is asked.
 */
export async function ask(analyst: Analyst, folder: string, asked: Question, signal: AbortSignal): Promise<LoadedTrace> {
  const place = join(folder, asked.key);
  const given = join(analyst.recorded?.folder ?? "", asked.key);
  if (analyst.recorded && existsSync(given) && !existsSync(place)) await cp(given, place, { recursive: true });
  await mkdir(place, { recursive: true });
  const attempts = (await readdir(place)).filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(a) - Number(b));
  const sealed = attempts.find((name) => readSeal(join(place, name)));
  if (sealed !== undefined) return loadTrace(join(place, sealed));
  const before = await brokenOff(attempts.map((name) => join(place, name)));
  const plain = unheld.has(analyst) || before.some((trace) => refusesSchema(trace) || !isHeld(trace));
  const config = configOf(analyst, plain ? { ...asked, schema: undefined } : asked);
  const same = before.filter((trace) => !refusesSchema(trace) && isHeld(trace) === holds(config.model.extra));
  const own = join(place, String(Number(attempts.at(-1) ?? 0) + 1));
  await analyst.converse({
    config,
    tools: asked.tools,
    task: asked.task,
    about: asked.about,
    folder: own,
    seed: Number.parseInt(sha256(asked.key).slice(0, 8), 16) & 0x7fffffff,
    meta: { analyst: { question: asked.key, prompt: promptVersion } },
    after: same.toSorted((a, b) => b.events.length - a.events.length)[0],
    signal,
  });
  for (const name of attempts) await rm(join(place, name), { recursive: true, force: true }); // all of it is in the one that goes on from it
  const trace = await loadTrace(own);
  if (plain || !refusesSchema(trace)) return trace;
  if (!unheld.has(analyst)) analyst.onSchemaRefused?.();
  unheld.add(analyst);
  return ask(analyst, folder, asked, signal);
}

/** Whose server takes no schema, as long as the process lasts: they are asked for JSON in words alone. */
const unheld = new WeakSet<Analyst>();

/** Its replies were held to a schema by the server. */
const isHeld = ({ events }: LoadedTrace): boolean => holds(objectOf(objectOf(objectOf(events[0]?.d["config"])["model"])["extra"]));

const holds = (extra: JsonObject = {}): boolean =>
  extra["response_format"] !== undefined || objectOf(extra["text"])["format"] !== undefined;

/**
 * Holds replies to a schema in the form of the model's API; undefined: its API is not asked to. Source: developers.openai.com, "Structured model outputs", for
 * Chat Completions and Responses.
 */
function heldTo({ name, row }: ResolvedModel, schema: JsonObject | undefined): JsonObject | undefined {
  if (schema === undefined || wireOf(name) !== "openai") return undefined;
  const form = { name: "answer", strict: true, schema };
  return rowOf(name, row)?.wire === "responses"
    ? { text: { format: { type: "json_schema", ...form } } }
    : { response_format: { type: "json_schema", json_schema: form } };
}

/** A server of one's own, such as llama.cpp's: needs no key and is in no cloud. */
function isOwnServer(model: string): boolean {
  const provider = model.slice(0, model.indexOf("/"));
  const known = Object.hasOwn(knownProviders, provider) ? knownProviders[provider] : undefined;
  return known !== undefined && known.keyVariables === undefined && known.cloud === undefined;
}

/** The server's sentence names the form of the reply, as those of DeepSeek, vLLM, LM Studio and llama.cpp do that do not take it. */
function refusesSchema({ events }: LoadedTrace): boolean {
  const outcome = objectOf(events.findLast(({ t, lane }) => t === "run.end" && lane === "main")?.d["outcome"]);
  return (
    outcome["type"] === "error" &&
    /answered 4(?:00|22): .*(?:response_format|json_schema|text\.format)/is.test(wordOf(outcome["message"]) ?? "")
  );
}

/** The attempts whose process was ended, as far as they got. */
async function brokenOff(folders: readonly string[]): Promise<LoadedTrace[]> {
  const traces: LoadedTrace[] = [];
  for (const folder of folders) {
    try {
      traces.push(await loadTrace(folder));
    } catch (error) {
      if (!(error instanceof CannotError)) throw error; // ended before its first event
    }
  }
  return traces;
}

/** The configuration of the analyst's loop: its prompt, its tools, no middleware. Servers of one's own get temperature 0, so that equal questions get equal answers. */
function configOf({ model }: Analyst, { name, system, tools, schema, turns, costUsd }: Question): ResolvedConfig {
  const held = heldTo(model, schema);
  const schemas = tools.map(toolSchema);
  const sections: Section[] = [
    { name: "identity", text: system },
    ...(model.protocol === "text" && tools.length > 0 ? [{ name: "protocol", text: protocolPrompt(schemas) }] : []),
  ];
  const config = {
    model: {
      ...model,
      protocol: tools.length > 0 ? model.protocol : ("native" as const),
      maxOutputTokens,
      ...(isOwnServer(model.name) && model.temperature === undefined ? { temperature: 0 } : {}),
      ...(held ? { extra: { ...model.extra, ...held } } : {}),
    },
    system: sections,
    tools: schemas,
    middleware: [],
    limits: { turns, ...(costUsd === undefined ? {} : { costUsd }) },
    loop: 2 as const,
    snapshots: false as const,
  };
  return { name, hash: harnessHash(config), ...config };
}

/** How a conversation ended. */
export interface ConversationEnd {
  readonly answer: string;
  readonly input: number;
  readonly output: number;
  /** USD; null: the price is not known. */
  readonly costUsd: number | null;
  /** A failing service ended it; the next time may be another. */
  readonly failure: string | undefined;
}

/** @throws ConfigError where nothing can be asked so */
export function endOf({ events }: LoadedTrace): ConversationEnd {
  const end = events.findLast(({ t, lane }) => t === "run.end" && lane === "main")?.d ?? {};
  const outcome = objectOf(end["outcome"]);
  const spent = objectOf(end["spent"]);
  const message = wordOf(outcome["message"]) ?? "";
  if (outcome["type"] === "error" && outcome["kind"] === "config") throw new ConfigError(message);
  return {
    answer: wordOf(end["answer"]) ?? "",
    input: numberOf(spent["input"]) ?? 0,
    output: numberOf(spent["output"]) ?? 0,
    costUsd: numberOf(spent["costUsd"]) ?? null,
    failure: outcome["type"] === "error" && outcome["kind"] === "infra" ? message : undefined,
  };
}
