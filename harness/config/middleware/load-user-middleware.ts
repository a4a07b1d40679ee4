import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { ConfigError, messageOf } from "../../errors.ts";
import type { AnyMiddlewareDefinition } from "../../contract/middleware.ts";
import { collectSources, sourcesHash, type SourceFiles } from "./collect-sources.ts";
import type { MiddlewareSource, UserMiddleware } from "../config-registry.ts";
import { packageEntry } from "../../package/package-root.ts";

/**
 * Loads a middleware that Forge does not ship: a `.ts` or `.js` file whose default export is what `middleware(…)` returned. `forge-lab`,
 * `forge-lab/testing` and `zod` are the running package's own, so the file works from any folder.
 * @param specifier `./x.ts`, `/abs/x.ts`, or `npm:package`, looked up from `folder`.
 * Throws `ConfigError` naming the file and the cure when it is missing, throws itself, or exports something else.
 */
export async function loadUserMiddleware(specifier: string, folder: string): Promise<UserMiddleware> {
  const source = await readUserMiddleware(specifier, folder);
  return { definition: await importDefinition(source.path, source.files), source };
}

/** The sources of such a file, read and hashed, with none of its code run. Throws `ConfigError` where a file is missing. */
export async function readUserMiddleware(specifier: string, folder: string): Promise<MiddlewareSource> {
  const path = locate(specifier, folder);
  const files = await collectSources(path);
  return { path, hash: sourcesHash(files), files };
}

/** The definition that a file exports, checked. `files` are its sources, read before. */
export async function importDefinition(path: string, files: SourceFiles): Promise<AnyMiddlewareDefinition> {
  // Only here: a run without files of the user's own does not pay for the loader.
  const { createJiti } = await import("jiti");
  // No caches: the file may have changed since it was loaded last, and what runs must be what was hashed.
  const jiti = createJiti(path, { moduleCache: false, fsCache: false, virtualModules: await ownModules(files) });
  let loaded: unknown;
  try {
    loaded = await jiti.import(path);
  } catch (error) {
    throw loadError(path, files, error);
  }
  const exported = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : undefined;
  if (isDefinition(exported)) return exported;
  throw new ConfigError(
    `${path} has ${exported === undefined ? "no default export" : "a default export that is not a middleware"}; write: export default middleware("name", "1", options, (options) => ({ … })), with middleware from "forge-lab"`,
  );
}

/** Of both kinds of error the stack names the place: of a syntax error as the last part of what it says. */
function loadError(path: string, files: SourceFiles, error: unknown): ConfigError {
  const [said = ""] = messageOf(error).split("\n");
  const syntax = /^ParseError: (.*?)\.?\s*$/.exec(said)?.[1];
  const place =
    placeIn(
      error,
      Object.keys(files).map((file) => resolve(dirname(path), file)),
    ) ?? path;
  return new ConfigError(
    syntax === undefined
      ? `${place} threw while it was loaded: ${said}; mend the file`
      : `${place} is not valid TypeScript or JavaScript: ${syntax}; mend the line`,
  );
}

/** `file:line` of the innermost of these files that an error names. */
function placeIn(error: unknown, files: readonly string[]): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? error.message).split("\n") : [];
  const places = stack.flatMap((line) =>
    files.flatMap((file) => {
      const at = line.indexOf(`${file}:`);
      const number = at < 0 ? undefined : /^\d+/.exec(line.slice(at + file.length + 1))?.[0];
      return number === undefined ? [] : [`${file}:${number}`];
    }),
  );
  return places[0];
}

function isDefinition(value: unknown): value is AnyMiddlewareDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, options, create } = value as Partial<Record<keyof AnyMiddlewareDefinition, unknown>>; // any object may be read so
  const isSchema = typeof options === "object" && options !== null && "safeParse" in options && "_zod" in options;
  return typeof name === "string" && name !== "" && typeof version === "string" && isSchema && typeof create === "function";
}

function locate(specifier: string, folder: string): string {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  if (!specifier.startsWith("npm:")) return resolve(folder, specifier);
  const name = specifier.slice("npm:".length);
  try {
    return createRequire(join(folder, "forge.yaml")).resolve(name);
  } catch {
    throw new ConfigError(`the package "${name}" is not installed in ${folder || "."}; run: npm install ${name}`);
  }
}

/** The modules a file gets from the running package. The package is imported only when some file names it. */
async function ownModules(files: SourceFiles): Promise<Record<string, unknown>> {
  const sources = Object.values(files);
  const names = (module: string): boolean => sources.some((source) => source.includes(`"${module}"`) || source.includes(`'${module}'`));
  const modules: Record<string, unknown> = { zod: { z, default: z } };
  for (const [module, entry] of [
    ["forge-lab", "index"],
    ["forge-lab/testing", "testing"],
  ] as const)
    if (names(module)) modules[module] = await import(pathToFileURL(packageEntry(entry)).href);
  return modules;
}
