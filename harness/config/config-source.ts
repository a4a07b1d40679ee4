import { join } from "node:path";
import type { ConfigFile } from "./schema.ts";

/**
 * Whose word a configuration is: the user's own (what he gave on the command line, and his home folder), or the repository's, whose files are read
 * because they lie there. What a repository names may come from anyone: its code is run only when trusted, and its addresses get no key.
 */
export type ConfigOwner = "user" | "repository";

/**
 * One place a configuration comes from. `label` is what messages call it (a path as the user would write it).
 * `preset` and `config` (the argument of --config: a path or a preset's name) start afresh, `file` and `values` change what lies below.
 */
export type ConfigSource =
  | { readonly kind: "preset"; readonly name: string }
  | { readonly kind: "file"; readonly path: string; readonly label: string; readonly optional?: boolean; readonly owner?: ConfigOwner }
  | {
      readonly kind: "config";
      readonly value: string;
      readonly folder: string;
      readonly owner?: ConfigOwner;
      /** The option that names it, where that is not `--config`. */
      readonly option?: string;
    }
  | { readonly kind: "values"; readonly label: string; readonly config: ConfigFile; readonly folder?: string };

/** Sources of the everyday agent, later wins. `flags` are options of the command line in the shape of a configuration. */
export function everydaySources(o: {
  preset: string;
  cwd: string;
  /** The user's home folder. */
  home: string;
  /** Root of the repository; its `.forge` folder is read. */
  repository: string;
  config?: string | undefined;
  flags?: ConfigFile | undefined;
  /** The model where no source names one. */
  defaultModel?: string | undefined;
}): ConfigSource[] {
  const file = (path: string, label: string, owner: ConfigOwner): ConfigSource => ({ kind: "file", path, label, optional: true, owner });
  const atHome = o.repository === o.home;
  return [
    ...fallback(o.defaultModel),
    { kind: "preset", name: o.preset },
    file(join(o.home, ".forge", "config.yaml"), "~/.forge/config.yaml", "user"),
    file(join(o.cwd, "forge.yaml"), "forge.yaml", "repository"),
    ...(atHome ? [] : [file(join(o.repository, ".forge", "config.yaml"), ".forge/config.yaml", "repository")]),
    file(join(o.repository, ".forge", "settings.local.yaml"), ".forge/settings.local.yaml", atHome ? "user" : "repository"),
    ...(o.config === undefined ? [] : [{ kind: "config" as const, value: o.config, folder: o.cwd }]),
    ...flagValues(o.flags, o.cwd),
  ];
}

/** Sources of one arm of a bench: `--config` and flags alone, so that a result does not depend on whose machine it was. */
export function benchSources(o: {
  config: string;
  cwd: string;
  /** Whose word `config` is: `repository` where it was read somewhere. Default: the user's, who typed it. */
  owner?: ConfigOwner | undefined;
  /** The option that names it. Default: `--config`. */
  option?: string | undefined;
  flags?: ConfigFile | undefined;
  defaultModel?: string | undefined;
}): ConfigSource[] {
  return [
    ...fallback(o.defaultModel),
    { kind: "config", value: o.config, folder: o.cwd, owner: o.owner ?? "user", option: o.option ?? "--config" },
    ...flagValues(o.flags, o.cwd),
  ];
}

/** What messages call the model that holds where no source names one. */
export const defaultModelLabel = "the default model";

const fallback = (model: string | undefined): ConfigSource[] =>
  model === undefined ? [] : [{ kind: "values", label: defaultModelLabel, config: { model } }];
const flagValues = (config: ConfigFile | undefined, folder: string): ConfigSource[] =>
  config === undefined ? [] : [{ kind: "values", label: "the command line", config, folder }];
