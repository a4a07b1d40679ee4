import { basename, dirname, extname, resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "../../../harness/errors.ts";
import { checkData, placeOf, type PlacedData } from "../read/check-data.ts";
import { isInside } from "../check/check-tree.ts";
import { requirePart } from "../read/read-part.ts";
import { readToml } from "../read/read-toml.ts";
import { readYaml } from "../read/read-yaml.ts";
import { shownValue } from "../read/shown-value.ts";
import { checkedSource, type GitSource } from "./git-source.ts";

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  tasks: z
    .array(
      z.strictObject({
        /** Below the manifest's folder, or below the repository where there is a `url`. */
        path: z.string().min(1).optional(),
        url: z.string().min(1).optional(),
        commit: z.string().optional(),
        digest: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/i, "the 64 digits of a task's SHA-256"),
      }),
    )
    .min(1),
});

/** One task of a manifest: where it lies, and what its digest must be. */
export interface ManifestEntry {
  readonly source: { readonly type: "folder"; readonly folder: string } | ({ readonly type: "git" } & GitSource);
  readonly digest: string;
}

export interface Manifest {
  readonly name: string;
  readonly entries: readonly ManifestEntry[];
  readonly warnings: readonly string[];
}

export const isManifest = (path: string): boolean => [".json", ".yaml", ".yml", ".toml"].includes(extname(path).toLowerCase());

/** Reads a manifest of tasks: JSON, YAML or TOML by its ending. Throws `ConfigError` with file, line, key and cure. */
export async function readManifest(file: string): Promise<Manifest> {
  const text = await requirePart(dirname(file), basename(file), "Give a file that is there.");
  // JSON is YAML, and read as such its mistakes have lines.
  const placed = extname(file).toLowerCase() === ".toml" ? readToml(text, file) : readYaml(text, file);
  const { config, warnings } = checkData(placed, schema);
  const entries = config.tasks.map(({ digest, ...source }, index) => ({
    source: sourceOf(source, index, file, placed),
    digest: digest.toLowerCase().replace(/^sha256:/, ""),
  }));
  return { name: config.name ?? basename(file, extname(file)), entries, warnings };
}

function sourceOf(
  { path, url, commit }: { path?: string | undefined; url?: string | undefined; commit?: string | undefined },
  index: number,
  file: string,
  placed: PlacedData,
): ManifestEntry["source"] {
  const place = placeOf(placed, ["tasks", index]);
  if (url !== undefined)
    return { type: "git", ...checkedSource({ url, commit: commit ?? "", ...(path !== undefined && { path }) }, place) };
  if (path === undefined) throw new ConfigError(`${place}: has neither path nor url. Write where the task is.`);
  const folder = resolve(dirname(file), path);
  if (!isInside(dirname(file), folder))
    throw new ConfigError(`${place}.path: ${shownValue(path)} leads out of the manifest's folder. Put the manifest above its tasks.`);
  return { type: "folder", folder };
}
