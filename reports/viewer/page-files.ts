import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { CannotError } from "../../harness/errors.ts";

/** A file of the built pages. */
export interface PageFile {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The built pages, by the path that a browser asks for; all of them in memory, so that no path of a request ever reaches the disk.
 * @throws CannotError where they were not built
 */
export function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  const walk = (path: string, address: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const type = types[extname(entry.name)];
      if (entry.isDirectory()) walk(join(path, entry.name), `${address}${entry.name}/`);
      else if (type !== undefined)
        files.set(`${address}${entry.name}`, { content: new Uint8Array(readFileSync(join(path, entry.name))), type });
    }
  };
  try {
    walk(folder, "/");
  } catch {
    // told below
  }
  if (!files.has("/index.html") || ![...files.keys()].some((name) => name.endsWith(".js")))
    throw new CannotError(
      `The viewer's pages are not in ${folder}: this Forge was not built whole. Run npm run build, or install it again.`,
    );
  return files;
}
