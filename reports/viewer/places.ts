import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunAddress } from "../html/sections/run-link.ts";

/** Names of folders in addresses, and back. */
export interface Places {
  /** A folder's name: relative to where the command was started, else absolute. Steps are divided by `/`. */
  of(folder: string): string;
  /** The absolute folder. @throws CannotError for one that lies below none of the folders that are shown, symbolic links followed, or is not there */
  folder(place: string): string;
  /** The job that a run's folder lies in. */
  jobOf(folder: string): string | undefined;
}

export function createPlaces(o: { readonly cwd: string; readonly roots: readonly string[] }): Places {
  const real = o.roots.flatMap((root) => (existsSync(root) ? [realpathSync(root)] : []));
  const isBelow = (path: string): boolean => real.some((root) => path === root || path.startsWith(`${root}${sep}`));
  return {
    of(folder) {
      const path = relative(o.cwd, folder);
      return (path.startsWith("..") || path === "" ? resolve(folder) : path).split(sep).join("/");
    },
    folder(place) {
      const path = resolve(o.cwd, place);
      if (place.includes("\0") || !existsSync(path) || !isBelow(realpathSync(path)))
        throw new CannotError(`There is no ${place || "such folder"} among what forge view was asked to show.`);
      return path;
    },
    jobOf(folder) {
      for (let path = resolve(folder, ".."); isBelow(existsSync(path) ? realpathSync(path) : path); path = resolve(path, ".."))
        if (existsSync(join(path, "lock.json"))) return path;
      return undefined;
    },
  };
}

/** A run's page, relative to the viewer's root; `run` is its place. */
export const runAddress: RunAddress = (run, seq) => `run/${run}${seq === undefined ? "" : `:${seq}`}`;
