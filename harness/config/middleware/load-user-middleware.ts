import { ConfigError } from "../../errors.ts";
import type { AnyMiddlewareDefinition } from "../../contract/middleware.ts";
import type { SourceFiles } from "../code/collect-sources.ts";
import { importCode, readCode } from "../code/import-code.ts";
import type { UserMiddleware } from "../config-registry.ts";

/**
 * Loads a middleware that Forge does not ship: a `.ts` or `.js` file whose default export is what `middleware(…)` returned.
 * @param specifier `./x.ts`, `/abs/x.ts`, or `npm:package`, looked up from `folder`.
 * Throws `ConfigError` naming the file and the cure when it is missing, throws itself, or exports something else.
 */
export async function loadUserMiddleware(specifier: string, folder: string): Promise<UserMiddleware> {
  const source = await readCode(specifier, folder);
  return { definition: await importDefinition(source.path, source.files), source };
}

/** The definition that a file exports, checked. `files` are its sources, read before. */
export async function importDefinition(path: string, files: SourceFiles): Promise<AnyMiddlewareDefinition> {
  const { exported } = await importCode(path, files);
  if (isDefinition(exported)) return exported;
  throw new ConfigError(
    `${path} has ${exported === undefined ? "no default export" : "a default export that is not a middleware"}; write: export default middleware("name", "1", options, (options) => ({ … })), with middleware from "forge-lab"`,
  );
}

function isDefinition(value: unknown): value is AnyMiddlewareDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, options, create } = value as Partial<Record<keyof AnyMiddlewareDefinition, unknown>>; // any object may be read so
  const isSchema = typeof options === "object" && options !== null && "safeParse" in options && "_zod" in options;
  return typeof name === "string" && name !== "" && typeof version === "string" && isSchema && typeof create === "function";
}
