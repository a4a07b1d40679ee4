import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import type { CodeSource } from "../../contract/resolved-config.ts";
import { ConfigError, messageOf } from "../../errors.ts";
import { packageEntry } from "../../package/package-root.ts";
import { collectSources, sourcesHash, type SourceFiles } from "./collect-sources.ts";

/**
 * The sources of a user's own file, read and hashed, with none of its code run. Throws `ConfigError` where a file is missing.
 * @param specifier `./x.ts`, `/abs/x.ts`, or `npm:package`, looked up from `folder`
 */
export async function readCode(specifier: string, folder: string): Promise<CodeSource> {
  const path = locate(specifier, folder);
  const files = await collectSources(path);
  return { path, hash: sourcesHash(files), files };
}

/** What such a file exports as default. */
export interface ImportedCode {
  readonly exported: unknown;
  /** `file:line` of the innermost of its sources that an error names, relative to the file's folder. */
  placeOf(error: unknown): string | undefined;
}

/**
 * Runs a file and answers its default export. `forge-lab`, `forge-lab/testing` and `zod` are the running package's own, so the file works from any
 * folder. `files` are its sources, read before. Throws `ConfigError` with file and line where it is broken or throws.
 */
export async function importCode(path: string, files: SourceFiles): Promise<ImportedCode> {
  // Only here: a run without files of the user's own does not pay for the loader.
  const { createJiti } = await import("jiti");
  // No caches: the file may have changed since it was loaded last, and what runs must be what was hashed.
  const jiti = createJiti(path, { moduleCache: false, fsCache: false, virtualModules: await ownModules(files) });
  try {
    const loaded: unknown = await jiti.import(path);
    const exported = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : undefined;
    return {
      exported,
      placeOf: (error) =>
        placeIn(
          error,
          Object.keys(files).map((file) => [resolve(dirname(path), file), file]),
        ),
    };
  } catch (error) {
    throw loadError(path, files, error);
  }
}

/** Of both kinds of error the stack names the place: of a syntax error as the last part of what it says. */
function loadError(path: string, files: SourceFiles, error: unknown): ConfigError {
  const [said = ""] = messageOf(error).split("\n");
  const syntax = /^ParseError: (.*?)\.?\s*$/.exec(said)?.[1];
  const absolute = Object.keys(files).map((file) => resolve(dirname(path), file));
  const place =
    placeIn(
      error,
      absolute.map((file) => [file, file]),
    ) ?? path;
  return new ConfigError(
    syntax === undefined
      ? `${place} threw while it was loaded: ${said}; correct the file`
      : `${place} is not valid TypeScript or JavaScript: ${syntax}; correct the line`,
  );
}

/** `name:line` of the innermost of these files, each with what it is to be called, that an error names. */
function placeIn(error: unknown, files: readonly (readonly [file: string, name: string])[]): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? error.message).split("\n") : [];
  const places = stack.flatMap((line) =>
    files.flatMap(([file, name]) => {
      const at = line.indexOf(`${file}:`);
      const number = at < 0 ? undefined : /^\d+/.exec(line.slice(at + file.length + 1))?.[0];
      return number === undefined ? [] : [`${name}:${number}`];
    }),
  );
  return places[0];
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
