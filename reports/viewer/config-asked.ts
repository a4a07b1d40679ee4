import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { ConfigError } from "../../harness/errors.ts";

/**
 * A configuration that a page asked for: a preset's name, or a configuration's file below the folder in which `forge view` was started or below one that it
 * shows, symbolic links followed. Whatever is wrong in a file is told with what stands there, so that no other file may be named.
 * @throws ConfigError for any other
 */
export function configAsked(value: string, o: { readonly cwd: string; readonly roots: readonly string[] }): string {
  if (/^[\w-]+$/.test(value) && !existsSync(resolve(o.cwd, value))) return value;
  const folders = [o.cwd, ...o.roots];
  const isBelow = (path: string, tops: readonly string[]): boolean =>
    tops.some((top) => path.startsWith(top.endsWith(sep) ? top : top + sep));
  const isConfig = (path: string): boolean => /\.(?:ya?ml|json)$/.test(path);
  const path = resolve(o.cwd, value);
  if (!value.includes("\0") && isConfig(path) && isBelow(path, folders)) {
    if (!existsSync(path)) return value;
    const real = realpathSync(path);
    const tops = folders.flatMap((folder) => (existsSync(folder) ? [realpathSync(folder)] : []));
    if (isConfig(real) && isBelow(real, tops)) return value;
  }
  throw new ConfigError(
    `${JSON.stringify(value)}: name a preset, or a configuration (.yaml, .yml or .json) below the folder in which forge view was started; forge replay dry --config takes one from anywhere.`,
  );
}
