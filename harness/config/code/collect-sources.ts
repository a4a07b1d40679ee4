import { readFile } from "node:fs/promises";
import { dirname, extname, relative, resolve, sep } from "node:path";
import { ConfigError } from "../../errors.ts";
import { sha256 } from "../../hash/sha256.ts";
import { canonicalJson } from "../../hash/canonical-json.ts";

/** A file and everything it imports by a relative path, followed to the end. Texts by path relative to the file's folder, with `/`. */
export type SourceFiles = Readonly<Record<string, string>>;

/** Throws `ConfigError` naming the file that is missing and the one that imports it. */
export async function collectSources(entry: string): Promise<SourceFiles> {
  const files = new Map<string, string>();
  const queue = [entry];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (files.has(path)) continue;
    const source = await readText(path);
    if (source === undefined) throw new ConfigError(`there is no file ${path}; correct the path`);
    files.set(path, source);
    if (extname(path) === ".json") continue;
    for (const specifier of relativeImports(source)) queue.push(await resolveImport(path, specifier));
  }
  return Object.fromEntries([...files].map(([path, source]) => [relative(dirname(entry), path).split(sep).join("/"), source] as const));
}

/** SHA-256 in hex over paths and texts: the same wherever the folder lies. */
export const sourcesHash = (files: SourceFiles): string => sha256(canonicalJson(files));

/** Comments are not told apart: a commented import only makes the hash cover one file more, when that file is there. */
function relativeImports(source: string): string[] {
  const statement = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])(\.{1,2}\/[^"'\n]*)\1/g;
  return [...source.matchAll(statement)].map((match) => match[2] ?? "");
}

async function resolveImport(from: string, specifier: string): Promise<string> {
  const path = resolve(dirname(from), specifier);
  const stem = path.replace(/\.([cm]?)js$/, ".$1ts");
  const candidates = [path, stem, ...[".ts", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"].map((end) => path + end)];
  for (const candidate of candidates) if ((await readText(candidate)) !== undefined) return candidate;
  throw new ConfigError(`${from} imports "${specifier}", and there is no such file; correct the import`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Missing, a folder, not readable: the same to an import.
    return undefined;
  }
}
