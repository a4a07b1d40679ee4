import { join, relative, resolve, sep } from "node:path";

/** Where bundles were unpacked to in this process, with the path that each was named by. */
const opened = new Map<string, string>();

/** From now on the runs below `folder` are those of the bundle `file`. */
export function nameOpened(folder: string, file: string): void {
  opened.set(resolve(folder), file);
}

/** A run as its user can name it: by its folder, or as `bundle.tgz#run` where it is one of a bundle, whose folder is gone when the command ends. */
export function runName(run: string): string {
  if (opened.size === 0) return run;
  const path = resolve(run);
  for (const [folder, file] of opened)
    if (path === folder || path.startsWith(join(folder, sep))) return asNamed(file, relative(folder, path));
  return run;
}

/** A sentence in which folders of runs may stand, with their names in place of those. */
export function nameRuns(text: string): string {
  let named = text;
  for (const [folder, file] of opened) named = named.replaceAll(join(folder, sep), () => `${file}#`).replaceAll(folder, () => file);
  return named;
}

const asNamed = (file: string, inside: string): string => (inside === "" ? file : `${file}#${inside}`);
