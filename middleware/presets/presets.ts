import type { ConfigFile } from "../../harness/config/schema.ts";
import { article } from "./article.ts";
import { bare } from "./bare.ts";
import { standard } from "./standard.ts";

/**
 * Configurations by name, for `extends` and `--config`: `standard` is the newest version, `standard@1` the first. A version that is
 * not the newest names the versions of its middlewares and never changes; the newest takes theirs, and its hash is pinned by a test.
 */
export const presets: Readonly<Record<string, ConfigFile>> = Object.fromEntries(
  Object.entries({ bare, article, standard }).flatMap(([name, versions]) => {
    const all = Object.entries<ConfigFile>(versions);
    return [...all.slice(-1).map(([, newest]) => [name, newest] as const), ...all.map(([v, config]) => [`${name}@${v}`, config] as const)];
  }),
);
