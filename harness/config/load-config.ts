import { ConfigError } from "../errors.ts";
import type { Section } from "../contract/messages.ts";
import type { Limits } from "../contract/run-result.ts";
import type { ConfigRegistry } from "./config-registry.ts";
import type { ConfigSource } from "./config-source.ts";
import { changeMiddleware, type MiddlewareChange } from "./middleware/change-middleware.ts";
import { keyPath } from "./read/describe-issue.ts";
import { harnessHash } from "./harness-hash.ts";
import type { ResolvedAgent, ResolvedConfig, ResolvedModel } from "../contract/resolved-config.ts";
import { resolveAgent } from "./agent/resolve-agent.ts";
import { resolveServers } from "./mcp/resolve-servers.ts";
import { refuseRewriting } from "./middleware/refuse-rewriting.ts";
import { resolveMiddleware } from "./middleware/resolve-middleware.ts";
import { resolveTools } from "./tools/resolve-tools.ts";
import { modelSettingsSchema, type ModelSettings } from "./schema.ts";
import type { ModelRow } from "../contract/model-row.ts";
import { rowOf } from "../models/families/find-row.ts";
import { wireOf } from "../models/providers/known-providers.ts";
import type { Stack } from "./stack/stack-config.ts";
import { stackSources } from "./stack/stack-sources.ts";

/**
 * What holds where no source sets a value. Sampling has no default: a parameter that nobody set is not sent, and the model's own holds. What thinking
 * shares with the answer is reserved on top of it: developers.openai.com, "Reasoning", recommends at least 25,000 tokens.
 */
const configDefaults = {
  tools: ["bash"],
  model: { protocol: "native", maxOutputTokens: 4096, reservedForThinking: 25_000 },
  limits: { turns: 50, activeMs: 900_000 },
  loop: 2,
} as const;

/**
 * Reads the sources, later over earlier, and looks everything up: the configuration a run is a function of.
 * Throws `ConfigError`: one sentence with key, value, what was expected, and file and line.
 * @param change makes another arm of it: middleware left out, or options set
 */
export async function loadConfig(
  sources: readonly ConfigSource[],
  registry: ConfigRegistry,
  change?: MiddlewareChange,
): Promise<ResolvedConfig> {
  const stack = await stackSources(sources, registry);
  const model = resolveModel(stack);
  const agent = await resolveAgent(stack, registry);
  if (agent) return withAgent(stack, agent, model, change);
  const loop = stack.loop?.value ?? configDefaults.loop;
  const { tools, toolFiles } = await resolveTools(stack.tools, configDefaults.tools, registry, loop);
  const mcp = await resolveServers(stack, registry);
  const listed = await resolveMiddleware(stack.middleware, registry);
  const middleware = change ? await changeMiddleware(listed, change, registry) : listed;
  refuseRewriting(model, middleware);
  const resolved = {
    model,
    places: placesOf(stack.model),
    ...(stack.prompt.size > 0 ? { ownPrompt: [...stack.prompt.keys()] } : {}),
    system: resolvePrompt(stack, registry.basePrompt({ tools, protocol: model.protocol, loop })),
    tools,
    ...(toolFiles === undefined ? {} : { toolFiles }),
    ...(mcp.length > 0 ? { mcp } : {}),
    middleware: middleware.map((each) => each.resolved),
    limits: resolveLimits(stack),
    ...(loop === 1 ? {} : { loop }),
    ...(stack.snapshots?.value === false ? { snapshots: false as const } : {}),
  };
  return { name: change?.name ?? stack.name, hash: harnessHash(resolved), ...resolved };
}

/** A configuration whose prompt, tools and loop are another agent's. */
function withAgent(stack: Stack, agent: ResolvedAgent, model: ResolvedModel, change: MiddlewareChange | undefined): ResolvedConfig {
  if (change)
    throw new ConfigError(
      `--ablate and --sweep change Forge's own middleware, and ${agent.name} has none; compare two files with --config.`,
    );
  const resolved = { model, places: placesOf(stack.model), system: [], tools: [], middleware: [], limits: resolveLimits(stack), agent };
  return { name: stack.name, hash: harnessHash(resolved), ...resolved };
}

function resolveModel(stack: Stack): ResolvedModel {
  const { model } = stack;
  const name = model.get("name");
  if (!name) throw new ConfigError("No model is configured: write `model: provider/name` in forge.yaml, or use --model provider/name.");
  const settings = modelSettingsSchema.parse(Object.fromEntries([...model].map(([key, placed]) => [key, placed.value])));
  if (!/^[^/\s]+\/\S+$/.test(settings.name))
    throw new ConfigError(
      `${keyPath(name.path)}: expected provider/name such as openai/qwen or sim/default, got ${JSON.stringify(settings.name)} (${name.from.place(name.path)})`,
    );
  refuseSampling(settings, model);
  const { protocol, temperature, effort, topP, contextTokens, extra, baseUrl } = settings;
  const row = ownRow(settings, stack);
  const known = rowOf(settings.name, row);
  const maxOutputTokens = settings.maxOutputTokens ?? defaultOutput(known);
  refuseLength(settings, known, model);
  return {
    name: settings.name,
    protocol: protocol ?? configDefaults.model.protocol,
    maxOutputTokens,
    ...(effort === undefined ? {} : { effort }),
    ...(temperature == null ? {} : { temperature }),
    ...(topP == null ? {} : { topP }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(extra === undefined ? {} : { extra }),
    ...(row === undefined ? {} : { row }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** Where the settings that a provider hears of were set. */
function placesOf(model: Stack["model"]): Readonly<Record<string, string>> {
  const keys = ["name", "protocol", "effort", "temperature", "topP", "maxOutputTokens", "extra"] as const;
  return Object.fromEntries(
    keys.flatMap((key) => {
      const placed = model.get(key);
      if (placed?.value == null) return [];
      const below = key === "extra" ? Object.keys(placed.value).map((name) => [name]) : [[]];
      return below.map((path) => [[key, ...path].join("."), placed.from.place([...placed.path, ...path])]);
    }),
  );
}

/** What the user says of the model: in `models` by its name, in `model.row`, and the price of `--price`. */
function ownRow({ name, row, price }: ModelSettings, { models }: Stack): ModelRow | undefined {
  const own = { ...models.get(name)?.value, ...row, ...(price === undefined ? {} : { price: { ...price, cached: price.input } }) };
  return Object.keys(own).length === 0 ? undefined : own;
}

/** The longest answer where none is set: with room for thinking, where the model may think, and never above what it can write. */
function defaultOutput(row: ModelRow | undefined): number {
  const { maxOutputTokens, reservedForThinking } = configDefaults.model;
  const thinks = row?.output !== undefined && ((row.effort ?? []).some((effort) => effort !== "none") || row.thinksUnasked === true);
  return Math.min(thinks ? maxOutputTokens + reservedForThinking : maxOutputTokens, row?.output ?? Infinity);
}

/** A length above what the model can write would be refused in every trial. */
function refuseLength({ name, maxOutputTokens }: ModelSettings, row: ModelRow | undefined, model: Stack["model"]): void {
  const placed = model.get("maxOutputTokens");
  if (maxOutputTokens === undefined || placed === undefined || row?.output === undefined || maxOutputTokens <= row.output) return;
  throw new ConfigError(
    `${keyPath(placed.path)}: ${name} writes at most ${row.output} tokens a reply, got ${maxOutputTokens}; lower it, or correct the model's row with models.${JSON.stringify(name)}.output (${placed.from.place(placed.path)})`,
  );
}

/**
 * Anthropic's Messages API takes no sampling parameter of any model since its version 2026-10-21, which the SDK sends. One that a configuration sets
 * would otherwise be refused in every trial, or left out without a word. Source: platform.claude.com, "API versioning".
 */
function refuseSampling(settings: ModelSettings, model: Stack["model"]): void {
  if (wireOf(settings.name) !== "anthropic") return;
  const extra = settings.extra ?? {};
  const set = [
    ...(["temperature", "topP"] as const).filter((key) => settings[key] != null).map((key) => ({ key, below: [] as string[] })),
    ...["temperature", "top_p", "top_k"]
      .filter((name) => extra[name] !== undefined)
      .map((name) => ({ key: "extra" as const, below: [name] })),
  ];
  const placed = set[0] && model.get(set[0].key);
  if (set[0] === undefined || placed === undefined) return;
  const path = [...placed.path, ...set[0].below];
  throw new ConfigError(
    `${keyPath(path)}: ${settings.name} takes no sampling parameters, which Anthropic's API refuses for every model since version 2026-10-21; take it out${set[0].key === "extra" ? "" : ", or write null where a file below sets it"} (${placed.from.place(path)})`,
  );
}

/** A section of the same name is replaced in place, an empty text removes it, a new name is added at the end. */
function resolvePrompt({ prompt }: Stack, base: readonly Section[]): Section[] {
  const added = [...prompt].filter(([name]) => !base.some((section) => section.name === name));
  return [
    ...base.map((section) => ({ name: section.name, text: prompt.get(section.name)?.value ?? section.text })),
    ...added.map(([name, placed]) => ({ name, text: placed.value })),
  ].filter((section) => section.text !== "");
}

function resolveLimits({ limits }: Stack): Limits {
  return { ...configDefaults.limits, ...Object.fromEntries([...limits].map(([key, placed]) => [key, placed.value])) };
}
