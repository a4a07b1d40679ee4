import { basename, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { ConfigError } from "../../errors.ts";
import type { ConfigSource } from "../config-source.ts";
import type { ConfigRegistry } from "../config-registry.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { placeConfig, readConfigFile, type PlacedConfig } from "../read/read-config-file.ts";
import { emptyStack, keepModel, layOver, type Stack, unversioned } from "./stack-config.ts";

type Presets = ConfigRegistry["presets"];
type Known = Pick<ConfigRegistry, "presets" | "reading">;

/**
 * Reads all sources and lays them over one another, later over earlier. A source with `extends` starts from that one afresh: of the sources
 * below it only the model settings stay.
 */
export async function stackSources(sources: readonly ConfigSource[], known: Known): Promise<Stack> {
  let stack = emptyStack;
  for (const source of sources) stack = await addSource(stack, source, known);
  return stack;
}

async function addSource(below: Stack, source: ConfigSource, known: Known): Promise<Stack> {
  switch (source.kind) {
    case "preset":
      return addConfig(keepModel(below), readPreset(source.name, "", known.presets), source.name, known, []);
    case "config": {
      const { config, name } = await readReference(
        source.value,
        { folder: source.folder, label: "", asked: `${source.option ?? "--config"} ${source.value}` },
        known,
      );
      return addConfig(keepModel(below), { ...config, owner: source.owner ?? "user" }, config.config.name ?? name, known, []);
    }
    case "file": {
      known.reading?.(source.path);
      const found = await readConfigFile(source.path, source.label, dirname(source.path));
      if (!found && source.optional) return below;
      if (!found) throw new ConfigError(`${source.label}: there is no such file; write one or leave it out.`);
      const config = { ...found, owner: source.owner ?? "user" };
      const name = stem(source.label);
      const made = below.name && !config.config.extends ? `${below.name}+${name}` : name;
      return addConfig(below, config, config.config.name ?? made, known, []);
    }
    case "values": {
      const config = placeConfig(source.config, { label: source.label, folder: source.folder ?? "" });
      return addConfig(below, config, below.name, known, []);
    }
  }
}

/** @param chain identities of the configurations that led here, to find a cycle. */
async function addConfig(below: Stack, config: PlacedConfig, name: string, known: Known, chain: readonly string[]): Promise<Stack> {
  const base = config.config.extends;
  if (base === undefined) return layOver(below, config, name, identify);
  const asked = `extends: ${JSON.stringify(base)}`;
  const where = config.place(["extends"]);
  const extended = await readReference(base, { folder: config.folder, label: dirname(config.label), asked, where }, known);
  const links = [...chain, config.label];
  if (links.includes(extended.config.label))
    throw new ConfigError(
      `${asked} goes round in a circle: ${[...links, extended.config.label].join(" → ")}; take one of these out (${where})`,
    );
  // What a repository's file extends is the repository's word too, wherever it lies.
  const under = { ...extended.config, owner: config.owner };
  return layOver(await addConfig(keepModel(below), under, name, known, links), config, name, identify);
}

interface Reference {
  readonly folder: string;
  readonly label: string;
  readonly asked: string;
  readonly where?: string;
}

/** A preset's name or a path. A preset wins; write `./bare` for a file of that name. */
async function readReference(value: string, o: Reference, { presets, reading }: Known): Promise<{ config: PlacedConfig; name: string }> {
  if (Object.hasOwn(presets, value)) return { config: readPreset(value, o.folder, presets), name: value };
  const path = resolve(o.folder, value);
  const label = isAbsolute(value) || o.label === "" ? normalize(value) : join(o.label, value);
  reading?.(path);
  const config = await readConfigFile(path, label, dirname(path));
  // Only what was named must say something: the everyday files may well hold comments alone.
  if (config?.empty)
    throw new ConfigError(`${label}: the file is empty; write what it changes, or {} for a configuration of defaults alone.`);
  if (config) return { config, name: stem(path) };
  throw new ConfigError(
    `${o.asked}: there is no preset and no file of this name, ${presetsBeside(value, presets)}${o.where ? ` (${o.where})` : ""}`,
  );
}

/** Versions are listed for a name that has one. */
function presetsBeside(name: string, presets: Presets): string {
  const names = Object.keys(presets).filter((preset) => name.includes("@") || !preset.includes("@"));
  return didYouMean(name, names, "the presets are");
}

function readPreset(name: string, folder: string, presets: Presets): PlacedConfig {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (!preset) throw new ConfigError(`There is no preset "${name}", ${presetsBeside(name, presets)}`);
  return placeConfig(preset, { label: `preset ${name}`, folder });
}

/** Entries of a user's own file are the same when they are the same file. */
function identify(name: string, from: PlacedConfig): string {
  return isOwnFile(name) && !name.startsWith("npm:") ? resolve(from.folder, name) : unversioned(name);
}
/** Whether an entry names a file or package of the user's instead of a middleware that Forge knows. */
export const isOwnFile = (name: string): boolean => /^(\.{1,2}\/|\/|npm:|file:)/.test(name) || isAbsolute(name);

const stem = (path: string): string => basename(path).replace(/\.(ya?ml|json)$/, "");
