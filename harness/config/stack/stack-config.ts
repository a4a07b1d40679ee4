import { ConfigError } from "../../errors.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { KeyPath, PlacedConfig } from "../read/read-config-file.ts";
import type { ModelRow } from "../../contract/model-row.ts";
import type { ConfigFile, McpEntry, ModelSettings } from "../schema.ts";
import { defaultModelLabel } from "../config-source.ts";

/** A value and where it was set. */
export interface Placed<T> {
  readonly value: T;
  readonly from: PlacedConfig;
  readonly path: KeyPath;
}
export interface MiddlewareEntry {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly off: boolean;
}

/** Configurations laid over one another, each value with its place. */
export interface Stack {
  /** What people call it. */
  readonly name: string;
  readonly model: ReadonlyMap<keyof ModelSettings, Placed<unknown>>;
  /** Rows of models by name. */
  readonly models: ReadonlyMap<string, Placed<ModelRow>>;
  readonly limits: ReadonlyMap<string, Placed<number>>;
  readonly prompt: ReadonlyMap<string, Placed<string>>;
  readonly tools: Placed<readonly string[]> | undefined;
  /** MCP servers by name, those that are off too. */
  readonly mcp: ReadonlyMap<string, Placed<McpEntry>>;
  readonly loop: Placed<1 | 2> | undefined;
  readonly agent: Placed<NonNullable<ConfigFile["agent"]>> | undefined;
  readonly files: ReadonlyMap<string, Placed<string>>;
  readonly env: ReadonlyMap<string, Placed<string>>;
  readonly args: Placed<readonly string[]> | undefined;
  readonly snapshots: Placed<boolean> | undefined;
  /** In order, removed ones included until the whole is resolved. */
  readonly middleware: readonly Placed<MiddlewareEntry>[];
}
export const emptyStack: Stack = {
  name: "",
  model: new Map(),
  models: new Map(),
  limits: new Map(),
  prompt: new Map(),
  tools: undefined,
  mcp: new Map(),
  loop: undefined,
  agent: undefined,
  files: new Map(),
  env: new Map(),
  args: undefined,
  snapshots: undefined,
  middleware: [],
};

/** What a configuration that starts afresh keeps of the ones below it: the model and what is known of it, which belong to the machine and not to the harness. */
export const keepModel = (below: Stack): Stack => ({ ...emptyStack, model: below.model, models: below.models });

/**
 * Lays a configuration over a stack. `model`, `limits`, `prompt` and `mcp` are patched key by key; `tools`, `loop` and `snapshots` are replaced. `middleware` is
 * patched by name: an entry of a name that is there takes its place, options and all, in the version that was named there where it names none;
 * `off: true` removes it; any other is added at the end.
 * Another `agent` takes away what only Forge's own reads.
 * Throws `ConfigError` for a middleware that one configuration lists twice.
 * @param identify what makes two entries the same: the name, or the absolute path of a user's file.
 */
export function layOver(under: Stack, from: PlacedConfig, name: string, identify: (name: string, from: PlacedConfig) => string): Stack {
  const { model, models, limits, prompt, tools, mcp, loop, snapshots, middleware, agent, files, env, args } = from.config;
  // another agent brings its own prompt, tools and loop: those of a configuration below mean nothing to it
  const below =
    agent === undefined
      ? under
      : {
          ...under,
          tools: undefined,
          loop: undefined,
          snapshots: undefined,
          prompt: new Map<string, Placed<string>>(),
          middleware: [],
          mcp: new Map<string, Placed<McpEntry>>(),
        };
  const settings = typeof model === "string" ? { name: model } : (model ?? {});
  const path = (key: string): KeyPath => (typeof model === "string" ? ["model"] : ["model", key]);
  return {
    name,
    model: patched(sameProvider(below.model, settings.name), settings, from, path),
    models: patched(below.models, models ?? {}, from, (key) => ["models", key]),
    limits: patched(below.limits, limits ?? {}, from, (key) => ["limits", key]),
    prompt: patched(below.prompt, prompt ?? {}, from, (key) => ["prompt", key]),
    tools: tools ? { value: tools, from, path: ["tools"] } : below.tools,
    agent: agent === undefined ? below.agent : { value: agent, from, path: ["agent"] },
    files: patched(below.files, files ?? {}, from, (key) => ["files", key]),
    env: patched(below.env, env ?? {}, from, (key) => ["env", key]),
    args: args ? { value: args, from, path: ["args"] } : below.args,
    mcp: patched(below.mcp, mcp ?? {}, from, (key) => ["mcp", key]),
    loop: loop === undefined ? below.loop : { value: loop, from, path: ["loop"] },
    snapshots: snapshots === undefined ? below.snapshots : { value: snapshots, from, path: ["snapshots"] },
    middleware: (middleware ?? []).reduce<readonly Placed<MiddlewareEntry>[]>((list, entry, i) => {
      const added: Placed<MiddlewareEntry> = { value: toEntry(entry), from, path: ["middleware", i] };
      const same = (other: Placed<MiddlewareEntry>): boolean => identify(other.value.name, other.from) === identify(added.value.name, from);
      if (list.some((other) => other.from === from && same(other)))
        throw new ConfigError(
          `${keyPath(added.path)}: the middleware "${added.value.name}" is listed twice; take one out (${from.place(added.path)})`,
        );
      return list.some(same) ? list.map((other) => (same(other) ? inVersionOf(added, other) : other)) : [...list, added];
    }, below.middleware),
  };
}

function patched<K extends string, V>(
  below: ReadonlyMap<K, Placed<V>>,
  values: Partial<Record<K, V | undefined>>,
  from: PlacedConfig,
  path: (key: K) => KeyPath,
): ReadonlyMap<K, Placed<V>> {
  const all = new Map(below);
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) all.set(key, { value, from, path: path(key) });
  }
  return all;
}

/**
 * Another provider's server address, extra parameters, context length, row and price mean nothing to this one. Where only the default model was named before,
 * they are for whichever model is named.
 */
function sameProvider(below: Stack["model"], name: string | undefined): Stack["model"] {
  const { value: before, from } = below.get("name") ?? {};
  if (name === undefined || typeof before !== "string" || from?.label === defaultModelLabel || before.split("/")[0] === name.split("/")[0])
    return below;
  return new Map(
    [...below].filter(([key]) => key !== "baseUrl" && key !== "extra" && key !== "contextTokens" && key !== "row" && key !== "price"),
  );
}

/** A preset of a version names its middlewares' versions: a changed option leaves them as they are. */
function inVersionOf(added: Placed<MiddlewareEntry>, other: Placed<MiddlewareEntry>): Placed<MiddlewareEntry> {
  const [, version] = versionedName.exec(other.value.name) ?? [];
  if (version === undefined || versionedName.test(added.value.name)) return added;
  return { ...added, value: { ...added.value, name: other.value.name } };
}
/** `completion-gate@1`: a middleware of Forge in this version. */
const versionedName = /^[a-z][a-z-]*@(\d+)$/;
/** Without the version, which does not make it another middleware. */
export const unversioned = (name: string): string => (versionedName.test(name) ? name.slice(0, name.lastIndexOf("@")) : name);

function toEntry(entry: NonNullable<ConfigFile["middleware"]>[number]): MiddlewareEntry {
  if (typeof entry === "string") return { name: entry, options: {}, off: false };
  const { name, off, ...options } = entry;
  return { name, options, off: off ?? false };
}
