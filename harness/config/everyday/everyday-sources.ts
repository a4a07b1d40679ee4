import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { everydaySources, type ConfigSource } from "../config-source.ts";
import type { ConfigFile } from "../schema.ts";

/** The nearest folder upwards that holds `.git`, else the folder itself. */
function repositoryRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** The sources of `forge run` and `forge config show`. */
export function sourcesHere(o: {
  cwd: string;
  config?: string | undefined;
  flags?: ConfigFile | undefined;
  defaultModel?: string | undefined;
}): ConfigSource[] {
  return everydaySources({ preset: "standard", home: homedir(), repository: repositoryRoot(o.cwd), ...o });
}
