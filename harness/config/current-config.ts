import { readCode } from "./code/import-code.ts";
import { importDefinition } from "./middleware/load-user-middleware.ts";
import { harnessHash } from "./harness-hash.ts";
import type { ResolvedConfig, ResolvedMiddleware, ToolFile } from "../contract/resolved-config.ts";
import type { Section, ToolSchema } from "../contract/messages.ts";
import { CannotError } from "../errors.ts";
import { isServerTool } from "../extensions/mcp/mcp-server.ts";
import type { JsonObject } from "../json.ts";
import { parametersSchema } from "../tools/parameters-schema.ts";
import { importTool } from "./tools/load-user-tool.ts";
import type { ConfigRegistry } from "./config-registry.ts";

/** A recorded configuration with what is installed today. */
export interface CurrentConfig {
  readonly config: ResolvedConfig;
  /** What is another one than then, each in a few words. */
  readonly changes: readonly string[];
}

export interface CurrentOptions {
  readonly registry: Pick<ConfigRegistry, "tools" | "middleware" | "basePrompt">;
  /** Throws where a user's file is not trusted here; left out: all code is. */
  readonly requireTrusted?: (config: Pick<ResolvedConfig, "middleware" | "toolFiles">) => Promise<void>;
}

/**
 * The same choices with today's prompts, tool schemas and middleware; an option that was left out gets today's default.
 * @throws CannotError where a tool or a middleware is gone, and what `requireTrusted` throws.
 */
export async function currentConfig(recorded: ResolvedConfig, o: CurrentOptions): Promise<CurrentConfig> {
  const { registry } = o;
  const names = recorded.tools.map(({ name }) => name);
  const files = await currentToolFiles(recorded, o);
  // tools of a server are what it said of them then: it is not asked
  const kept = recorded.tools.filter(({ name }) => isServerTool(name));
  const ours = names.filter((name) => !isServerTool(name) && !files.some((file) => file.name === name));
  const gone = ours.filter((name) => !registry.tools.names.includes(name));
  if (gone.length > 0) throw new CannotError(`The configuration needs the tool "${gone[0]}", and this Forge has none of this name.`);
  const loop = 2;
  const known = [...registry.tools.schemas(ours, loop), ...files.map(({ schema }) => schema), ...kept];
  const tools = names.flatMap((name) => known.find((tool) => tool.name === name) ?? []);
  const toolFiles = files.map(({ name, source }) => ({ name, source }));
  const system = currentPrompt(recorded, registry.basePrompt({ tools, protocol: recorded.model.protocol, loop }));
  const middleware = await Promise.all(recorded.middleware.map((one) => currentMiddleware(one, o)));
  const resolved = { ...recorded, system, tools, ...(toolFiles.length > 0 ? { toolFiles } : {}), middleware, loop } as const;
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const sections = new Set([...recorded.system, ...system].map(({ name }) => name));
  const changes = [
    ...(recorded.loop === loop ? [] : [`the loop, version ${recorded.loop ?? 1} then and ${loop} now`]),
    ...[...sections].flatMap((name) =>
      differs(textOf(recorded.system, name), textOf(system, name)) ? [`section ${name} of the system prompt`] : [],
    ),
    ...tools.flatMap((tool, i) => (differs(tool, recorded.tools[i]) ? [`schema of the tool ${tool.name}`] : [])),
    ...files.flatMap(({ name, source }) =>
      source.hash === recorded.toolFiles?.find((file) => file.name === name)?.source.hash ? [] : [`sources of the tool ${name}`],
    ),
    ...middleware.flatMap((now, i) => changeOf(recorded.middleware[i], now)),
  ];
  return { config: { ...resolved, hash: harnessHash(resolved) }, changes };
}

const textOf = (sections: readonly Section[], name: string): string | undefined => sections.find((one) => one.name === name)?.text;

/** What the configuration itself had said stays: sections that it named, and those that are none of Forge's. */
function currentPrompt({ system, ownPrompt = [] }: ResolvedConfig, base: readonly Section[]): Section[] {
  const own = system.filter(({ name }) => ownPrompt.includes(name) || !base.some((section) => section.name === name));
  const removed = ownPrompt.filter((name) => !system.some((section) => section.name === name));
  return [
    ...base.filter(({ name }) => !removed.includes(name)).map((section) => own.find(({ name }) => name === section.name) ?? section),
    ...own.filter(({ name }) => !base.some((section) => section.name === name)),
  ];
}

/** Only what the model is told of them is asked for: a replay calls none. */
async function currentToolFiles(
  { toolFiles = [] }: ResolvedConfig,
  { requireTrusted }: CurrentOptions,
): Promise<(ToolFile & { readonly schema: ToolSchema })[]> {
  const all = toolFiles.map(async ({ name, source: { path } }) => {
    const source = await readCode(path, "/").catch(() => {
      throw new CannotError(`The tool ${path} is gone; restore the file.`);
    });
    await requireTrusted?.({ middleware: [], toolFiles: [{ name, source }] });
    const { definition } = await importTool(source.path, source.files);
    if (definition.name !== name)
      throw new CannotError(`The tool ${path} was recorded as "${name}" and is now named "${definition.name}"; name it as it was.`);
    const { description, parameters } = definition;
    return { name, source, schema: { name, description, parameters: parametersSchema(parameters) } };
  });
  return Promise.all(all);
}

async function currentMiddleware(recorded: ResolvedMiddleware, { registry, requireTrusted }: CurrentOptions): Promise<ResolvedMiddleware> {
  const { name, source: before, changed } = recorded;
  if (!before) {
    const definition = Object.hasOwn(registry.middleware, name) ? registry.middleware[name] : undefined;
    if (!definition) throw new CannotError(`The configuration needs middleware "${name}", and this Forge has none of this name.`);
    return { name, version: definition.version, options: optionsOf(definition.options.safeParse(changed), name), changed };
  }
  const source = await readCode(before.path, "/").catch(() => {
    throw new CannotError(
      `The middleware ${before.path} (source hash ${before.hash.slice(0, 12)}) is gone; restore the file, or run forge replay --trust, which runs its recorded text.`,
    );
  });
  await requireTrusted?.({ middleware: [{ ...recorded, source }] });
  const definition = await importDefinition(source.path, source.files);
  return {
    name: definition.name,
    version: definition.version,
    options: optionsOf(definition.options.safeParse(changed), name),
    changed,
    source,
  };
}

function optionsOf(
  parsed: { success: boolean; data?: unknown; error?: { issues: readonly { message: string }[] } | undefined },
  name: string,
): JsonObject {
  if (parsed.success) return parsed.data as JsonObject; // options are plain JSON, which was checked when they were recorded
  throw new CannotError(
    `Today's middleware "${name}" does not take the recorded options: ${parsed.error?.issues[0]?.message ?? "wrong shape"}.`,
  );
}

function changeOf(before: ResolvedMiddleware | undefined, now: ResolvedMiddleware): string[] {
  if (now.source) return now.source.hash === before?.source?.hash ? [] : [`sources of the middleware ${now.name}`];
  if (before?.version !== now.version) return [`middleware ${now.name}, version ${before?.version} then and ${now.version} now`];
  return JSON.stringify(before.options) === JSON.stringify(now.options) ? [] : [`defaults of the middleware ${now.name}`];
}
