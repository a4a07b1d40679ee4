import { readFile } from "node:fs/promises";
import type { Document } from "yaml";
import type { z } from "zod";
import { codeOf, ConfigError, messageOf } from "../../errors.ts";
import type { ConfigOwner } from "../config-source.ts";
import { describeIssues, keyPath } from "./describe-issue.ts";
import { misplacedOptions } from "./misplaced-options.ts";
import { configSchema, type ConfigFile } from "../schema.ts";
import { loadYaml } from "../../package/load-yaml.ts";
import { yamlMistake } from "./yaml-mistake.ts";

export type KeyPath = readonly (string | number)[];

/** A validated configuration that knows where each of its values stands. */
export interface PlacedConfig {
  readonly config: ConfigFile;
  /** What people call it: a path, `preset bare`, `the command line`. */
  readonly label: string;
  /** The folder that relative paths in it start from. */
  readonly folder: string;
  /** `forge.yaml:14`; without a line for what is not a file. `onKey`: of the key instead of its value. */
  place(path: KeyPath, onKey?: boolean): string;
  /** Where in the text that is, to tell which of two comes first; undefined for what is not a file. */
  offset(path: KeyPath, onKey?: boolean): number | undefined;
  /** Says nothing at all: an empty file, or comments alone. */
  readonly empty: boolean;
  readonly owner: ConfigOwner;
}

/** Reads and validates a YAML file; undefined where there is none. Throws `ConfigError` naming file, line, key, value and what was expected. */
export async function readConfigFile(path: string, label: string, folder: string): Promise<PlacedConfig | undefined> {
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw new ConfigError(`${label}: the file cannot be read (${messageOf(error)}); give a YAML file that can be read.`);
  }
  return parseConfig(source, label, folder);
}

/** As `readConfigFile`, from text. */
function parseConfig(source: string, label: string, folder: string): PlacedConfig {
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const lineOf = (offset: number): string => `${label}:${lines.linePos(offset).line}`;
  const mistake = yamlMistake(document);
  if (mistake) throw new ConfigError(`Not valid YAML: ${mistake.what}; ${mistake.cure} (${lineOf(mistake.offset)}).`);
  const offset = (path: KeyPath, onKey = false): number | undefined => offsetOf(document, path, onKey);
  const place = (path: KeyPath, onKey = false): string => {
    const at = offset(path, onKey);
    return at === undefined ? label : lineOf(at);
  };
  return placeConfig(plainValue(document, label) ?? {}, { label, folder, place, offset, empty: document.contents === null });
}

function plainValue(document: Document.Parsed, label: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigError(
      `Not valid YAML: ${messageOf(error)}; define the anchor, or put a value that begins with * in quotes (${label}).`,
    );
  }
}

/** Validates a configuration that did not come from a file. */
export function placeConfig(value: unknown, o: Pick<PlacedConfig, "label" | "folder"> & Partial<PlacedConfig>): PlacedConfig {
  const { label, folder, place = () => label, offset = () => undefined, empty = false, owner = "user" } = o;
  const placed = { label, folder, place, offset, empty, owner };
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) throw mistakeIn(configSchema, value, placed);
  return { config: parsed.data, ...placed };
}

/** The topmost mistake in the part of a configuration at `base`, with key, value, what was expected, and place. */
export function mistakeIn(
  schema: z.ZodType,
  value: unknown,
  { place, offset }: Pick<PlacedConfig, "place" | "offset">,
  base: KeyPath = [],
): ConfigError {
  const issues = describeIssues(schema, value)
    .map((issue) => misplacedOptions(issue, value))
    .map(({ path, clause, onKey }) => ({ path: [...base, ...path], clause, onKey }));
  const at = (issue: (typeof issues)[number]): number => offset(issue.path, issue.onKey) ?? 0;
  const [top] = issues.toSorted((a, b) => at(a) - at(b));
  const path = top?.path ?? base;
  return new ConfigError(`${keyPath(path) || "the configuration"}: ${top?.clause ?? "does not fit"} (${place(path, top?.onKey)})`);
}

/** Where a value, or its key, begins in the text; where there is no such value, where the nearest one around it does. */
function offsetOf(document: Document.Parsed, path: KeyPath, onKey: boolean): number | undefined {
  const { isCollection, isMap, isPair, isScalar } = loadYaml();
  if (onKey && path.length > 0) {
    const parent = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
      : undefined;
    if (pair && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
  }
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if ((isScalar(node) || isCollection(node)) && node.range) return node.range[0];
  }
  return undefined;
}
