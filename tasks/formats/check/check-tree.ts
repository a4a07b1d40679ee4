import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { breather } from "../../../harness/breather.ts";
import { ConfigError } from "../../../harness/errors.ts";
import { shownValue } from "../read/shown-value.ts";

/** More than any known task has; a folder beyond it is a mistake or an attack. */
const mostFiles = 200_000;
const mostBytes = 16 * 1024 ** 3;

/** What stands in a task's folder or below it. */
export interface TreeEntry {
  /** Absolute. */
  readonly path: string;
  readonly stat: Stats;
}

/**
 * Looks through a task's folder before anything in it is read or copied, and answers its files and links. Throws `ConfigError` for a link that leaves the
 * folder (its target would go into a container), for what is neither file, folder nor link, for names that are not UTF-8, and for more than a runner
 * should take on.
 */
export async function checkTree(root: string): Promise<TreeEntry[]> {
  const found: TreeEntry[] = [];
  let files = 0;
  let bytes = 0;
  const folders = [root];
  const breathe = breather();
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      if (!isUtf8(name))
        throw new ConfigError(`${shownValue(join(folder, name.toString()))}: the name of this file is not UTF-8 text. Rename it.`);
      await breathe();
      const path = join(folder, name.toString());
      const stat = lstatSync(path);
      files += 1;
      if (stat.isDirectory()) {
        folders.push(path);
        continue;
      }
      if (stat.isSymbolicLink()) await checkLink(root, path);
      else if (!stat.isFile())
        throw new ConfigError(`${printable(path)}: is a pipe, a socket or a device, which a task cannot hold. Remove it.`);
      else bytes += stat.size;
      found.push({ path, stat });
    }
    if (files > mostFiles) throw new ConfigError(`${root}: holds more than ${mostFiles} files. Build what is large in the Dockerfile.`);
    if (bytes > mostBytes)
      throw new ConfigError(`${root}: holds ${bytes} bytes of files, more than ${mostBytes}. Fetch what is large in the Dockerfile.`);
  }
  return found;
}

/** A link to nothing leads nowhere and is copied as it is, unless its text points out of the folder. */
async function checkLink(root: string, path: string): Promise<void> {
  // Of a link to nothing: where it would lead, as far as its own text and the folders above it say.
  const target = (await realpath(path).catch(() => undefined)) ?? resolve(await realpath(dirname(path)), await readlink(path));
  if (isInside(await realpath(root), target)) return;
  throw new ConfigError(
    `${printable(path)}: is a link out of the task's folder, to ${printable(target)}. Put the file itself there; what is outside is no part of the task.`,
  );
}

/** Whether a path is the folder or below it; both absolute, links resolved. */
export function isInside(root: string, path: string): boolean {
  const rest = relative(root, path);
  return rest === "" || !(rest === ".." || rest.startsWith(`..${sep}`) || rest.startsWith(sep));
}

const printable = (path: string): string => (/[\p{Cc}\p{Cf}]/u.test(path) ? shownValue(path) : path);
