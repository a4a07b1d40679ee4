import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../harness/hash/sha256.ts";

/** A hash over the analyzer's own files, as they run: an analysis that other rules began is another one. */
export function rulesDigest(): string {
  const root = join(import.meta.dirname, "..");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /(?<!\.d)\.(?:ts|js)$/.test(path));
  return sha256(...files.toSorted().flatMap((path) => [path, readFileSync(join(root, path))]));
}
