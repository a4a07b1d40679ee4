import { ConfigError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { AnyMiddlewareDefinition } from "../../contract/middleware.ts";
import { canonicalJson } from "../../hash/canonical-json.ts";
import type { ConfigRegistry } from "../config-registry.ts";
import { keyPath } from "../read/describe-issue.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { mistakeIn } from "../read/read-config-file.ts";
import type { ResolvedMiddleware } from "../../contract/resolved-config.ts";
import { unversioned, type MiddlewareEntry, type Placed } from "../stack/stack-config.ts";
import { isOwnFile } from "../stack/stack-sources.ts";

/** Looks up each entry, checks its options and fills in their defaults. Throws `ConfigError` with the entry's place. */
export async function resolveMiddleware(
  entries: readonly Placed<MiddlewareEntry>[],
  registry: Pick<ConfigRegistry, "middleware" | "loadUserMiddleware">,
): Promise<{ entry: Placed<MiddlewareEntry>; resolved: ResolvedMiddleware }[]> {
  const all: { entry: Placed<MiddlewareEntry>; resolved: ResolvedMiddleware }[] = [];
  for (const entry of entries) {
    const found = await lookUp(entry, registry);
    if (!found) continue;
    const { definition, source } = found;
    const twin = all.find(({ resolved }) => resolved.name === definition.name);
    if (twin)
      throw new ConfigError(
        `${keyPath(entry.path)}: two middlewares are named "${definition.name}" (${twin.entry.from.place(twin.entry.path)} has the other); rename yours, or switch the other off with {name: ${twin.entry.value.name}, off: true} (${entry.from.place(entry.path)})`,
      );
    const options = checkOptions(definition, entry);
    const changed = changedOptions(definition, entry.value.options, options);
    const { name, version } = definition;
    const rewrites = rewritesBy(definition, options) ? { rewrites: true as const } : {};
    all.push({ entry, resolved: { name, version, options, changed, ...rewrites, ...(source ? { source } : {}) } });
  }
  return all;
}

async function lookUp(
  { value, from, path }: Placed<MiddlewareEntry>,
  registry: Pick<ConfigRegistry, "middleware" | "loadUserMiddleware">,
): Promise<{ definition: AnyMiddlewareDefinition; source?: ResolvedMiddleware["source"] } | undefined> {
  if (isOwnFile(value.name)) {
    if (value.off) return undefined;
    try {
      return await registry.loadUserMiddleware(value.name, from.folder, from.owner);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${keyPath(path)}: ${error.message} (${from.place(path)})`);
    }
  }
  const definition = Object.hasOwn(registry.middleware, value.name) ? registry.middleware[value.name] : undefined;
  if (definition) return value.off ? undefined : { definition };
  const looksLikeFile = /\.[cm]?[jt]s$/.test(value.name) ? ` (a file of yours begins with "./")` : "";
  const known = Object.keys(registry.middleware);
  const name = unversioned(value.name);
  const versions = known.filter((one) => one.startsWith(`${name}@`));
  if (name !== value.name && versions.length > 0)
    throw new ConfigError(
      `${keyPath(path)}: this Forge has no version ${value.name.slice(name.length + 1)} of "${name}"; it has ${versions.join(", ")} (${from.place(path)})`,
    );
  const cure = didYouMean(
    value.name,
    known.filter((one) => unversioned(one) === one),
    "there are",
  );
  throw new ConfigError(`${keyPath(path)}: there is no middleware "${value.name}"${looksLikeFile}, ${cure} (${from.place(path)})`);
}

function checkOptions(definition: AnyMiddlewareDefinition, { value, from, path }: Placed<MiddlewareEntry>): JsonObject {
  const parsed = definition.options.safeParse(value.options);
  if (!parsed.success) throw mistakeIn(definition.options, value.options, from, path);
  const options: unknown = parsed.data;
  if (isJsonObject(options)) return options;
  throw new ConfigError(
    `${keyPath(path)}: the options of "${definition.name}" must be plain JSON after their schema has read them (${from.place(path)})`,
  );
}

/** One that cannot be made with these options is refused where the run is assembled. */
function rewritesBy(definition: AnyMiddlewareDefinition, options: JsonObject): boolean {
  try {
    return definition.create(options).rewrites === true;
  } catch {
    return false;
  }
}

/** The options that differ from what the schema fills in when they are left out. One that cannot be left out always counts. */
function changedOptions(definition: AnyMiddlewareDefinition, given: Readonly<Record<string, unknown>>, options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => {
      if (!Object.hasOwn(given, key)) return false;
      const { [key]: _left, ...rest } = given;
      const without = definition.options.safeParse(rest);
      const filled: unknown = without.success ? without.data : undefined;
      return !isJsonObject(filled) || canonicalJson(filled[key]) !== canonicalJson(value);
    }),
  );
}

function isJsonObject(value: unknown): value is JsonObject {
  return isPlain(value) && Object.values(value).every(isJson);
}
/** `undefined` is let through: JSON leaves it out. */
function isJson(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isJsonObject(value);
}
const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
