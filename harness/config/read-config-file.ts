import { readFile } from "node:fs/promises";
import { isCollection, isMap, isPair, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { ConfigError, messageOf } from "../errors.ts";
import { describeIssue, keyPath } from "./describe-issue.ts";
import { configSchema, type ConfigFile } from "./schema.ts";

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
}

/** Reads and validates a YAML file; undefined where there is none. Throws `ConfigError` naming file, line, key, value and what was expected. */
export async function readConfigFile(path: string, label: string, folder: string): Promise<PlacedConfig | undefined> {
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw new ConfigError(`${label}: the file cannot be read (${messageOf(error)}); give a YAML file that can be read.`);
  }
  return parseConfig(source, label, folder);
}

/** As `readConfigFile`, from text. */
function parseConfig(source: string, label: string, folder: string): PlacedConfig {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken)
    throw new ConfigError(`Not valid YAML: ${broken.message.replace(/\.?$/, "")} (${label}:${lines.linePos(broken.pos[0]).line}).`);
  const place = (path: KeyPath, onKey = false): string => {
    const offset = offsetOf(document, path, onKey);
    return offset === undefined ? label : `${label}:${lines.linePos(offset).line}`;
  };
  return placeConfig(document.toJS() ?? {}, { label, folder, place });
}

/** Validates a configuration that did not come from a file. */
export function placeConfig(
  value: unknown,
  o: Pick<PlacedConfig, "label" | "folder"> & Partial<Pick<PlacedConfig, "place">>,
): PlacedConfig {
  const place = o.place ?? (() => o.label);
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return { config: parsed.data, label: o.label, folder: o.folder, place };
  const issue = describeIssue(configSchema, value);
  const at = issue?.path ?? [];
  throw new ConfigError(`${keyPath(at) || "the configuration"}: ${issue?.clause ?? "does not fit"} (${place(at, issue?.onKey)})`);
}

/** Where a value, or its key, begins in the text; where there is no such value, where the nearest one around it does. */
function offsetOf(document: Document.Parsed, path: KeyPath, onKey: boolean): number | undefined {
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
