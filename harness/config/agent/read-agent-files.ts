import { readdir, readFile, stat } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { ConfigError, messageOf } from "../../errors.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { Placed, Stack } from "../stack/stack-config.ts";

/** They are recorded with each run. */
const most = { files: 500, bytes: 4 * 1024 ** 2 };

/**
 * The texts of a configuration's `files`, by their path in the sandbox; of a folder, of all that it holds.
 * @throws ConfigError for a path that leaves the workdir or the home, and for what is missing, no text, or more than is recorded
 */
export async function readAgentFiles(files: Stack["files"]): Promise<Record<string, string>> {
  const read: Record<string, string> = {};
  let bytes = 0;
  for (const [key, placed] of files) {
    const target = key.replace(/\/+$/, "");
    const inside = target.startsWith("~/") ? target.slice(2) : target;
    if (
      inside === "" ||
      posix.isAbsolute(inside) ||
      inside.split("/").some((part) => part === "" || part === "." || part === ".." || part === "~")
    )
      throw refused(
        placed,
        `expected a path below the workdir, such as CLAUDE.md, or below the home, such as ~/.codex/AGENTS.md, got ${JSON.stringify(key)}`,
      );
    for (const [path, source] of await sourcesOf(placed)) {
      const content = await readFile(source).catch((error: unknown) => {
        throw refused(placed, `${placed.value} cannot be read (${messageOf(error)})`);
      });
      bytes += content.byteLength;
      if (bytes > most.bytes || Object.keys(read).length >= most.files)
        throw refused(placed, `files hold at most ${most.files} files and ${most.bytes / 1024 ** 2} MiB; name fewer`);
      const text = content.toString("utf8");
      if (!Buffer.from(text).equals(content)) throw refused(placed, `${source} is not UTF-8 text; put it into the task's image`);
      read[path === "" ? target : `${target}/${path}`] = text;
    }
  }
  return Object.fromEntries(Object.entries(read).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The files behind an entry, each with its path below it: of a file alone, none. */
async function sourcesOf(placed: Placed<string>): Promise<[path: string, source: string][]> {
  const root = resolve(placed.from.folder, placed.value);
  if (placed.from.owner === "repository" && !`${root}${sep}`.startsWith(`${resolve(placed.from.folder)}${sep}`))
    throw refused(placed, `${placed.value} is outside the folder of the configuration, which a recorded configuration cannot name`);
  const found = await stat(root).catch(() => undefined);
  if (!found) throw refused(placed, `there is no ${placed.value}; paths start at the configuration's folder`);
  if (found.isFile()) return [["", root]];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => {
      const source = join(entry.parentPath, entry.name);
      return [relative(root, source).split(sep).join("/"), source];
    });
}

const refused = ({ from, path }: Placed<string>, why: string): ConfigError =>
  new ConfigError(`${keyPath(path)}: ${why} (${from.place(path)})`);
