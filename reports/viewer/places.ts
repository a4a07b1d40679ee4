import { existsSync, realpathSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunAddress } from "../html/sections/run-link.ts";

/** Names of folders in addresses, and back. */
export interface Places {
  /** A folder's name: relative to where the command was started; what lies elsewhere begins with its root's own name. Steps are divided by `/`. */
  of(folder: string): string;
  /** The absolute folder. @throws CannotError for one that lies below none of the folders that are shown, symbolic links followed, or is not there */
  folder(place: string): string;
  /** The job that a run's folder lies in. */
  jobOf(folder: string): string | undefined;
}

export interface ShownFolders {
  readonly cwd: string;
  /** Absolute. */
  readonly roots: readonly string[];
  /** What a root is called, where its folder is none that its user knows. */
  readonly names?: ReadonlyMap<string, string>;
}

export function createPlaces(o: ShownFolders): Places {
  const real = o.roots.flatMap((root) => (existsSync(root) ? [realpathSync(root)] : []));
  const isBelow = (path: string): boolean => real.some((root) => path === root || path.startsWith(`${root}${sep}`));
  const named = namedRoots(o);
  return {
    of(folder) {
      const path = resolve(folder);
      const root = [...named].find(([, top]) => path === top || path.startsWith(`${top}${sep}`));
      const place = root ? join(root[0], relative(root[1], path)) : relative(o.cwd, path);
      return (place === "" || place.startsWith("..") ? path : place).split(sep).join("/");
    },
    folder(place) {
      const [first = "", ...rest] = place.split("/");
      const root = named.get(first);
      const path = root === undefined ? resolve(o.cwd, place) : join(root, ...rest);
      if (place.includes("\0") || !existsSync(path) || !isBelow(realpathSync(path)))
        throw new CannotError(`${place ? `The folder ${place}` : "This folder"} is not among the folders that forge view shows.`);
      return path;
    },
    jobOf(folder) {
      for (let path = resolve(folder, ".."); isBelow(existsSync(path) ? realpathSync(path) : path); path = resolve(path, ".."))
        if (existsSync(join(path, "lock.json"))) return path;
      return undefined;
    },
  };
}

/** Roots that have no relative name, or none that says anything, by one of their own. */
function namedRoots({ cwd, roots, names }: ShownFolders): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const root of roots) {
    const path = relative(cwd, root);
    const own = names?.get(root);
    if (own === undefined && path !== "" && !path.startsWith("..")) continue;
    const base = own ?? (basename(root) || "root");
    let name = base;
    for (let i = 2; named.has(name) || (existsSync(resolve(cwd, name)) && resolve(cwd, name) !== root && own === undefined); i++)
      name = `${base}~${i}`;
    named.set(name, root);
  }
  return named;
}

/** A run's page, relative to the viewer's root; `run` is its place. */
export const runAddress: RunAddress = (run, seq) => `run/${run}${seq === undefined ? "" : `:${seq}`}`;
