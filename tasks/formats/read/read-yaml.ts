import type { Document, LineCounter as Lines, ScalarTag, Tags } from "yaml";
import { loadYaml } from "../../../harness/package/load-yaml.ts";
import { ConfigError } from "../../../harness/errors.ts";
import type { PlacedData } from "./check-data.ts";

/**
 * Parses one YAML document. `version` 1.1 where the format's own runner reads YAML as Python does (`yes` is true). Throws `ConfigError` with the
 * line of what is not YAML; a key set twice, and aliases that multiply without bound, are not.
 */
export function readYaml(text: string, file: string, version: "1.1" | "1.2" = "1.2"): PlacedData {
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  let data: unknown;
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      version,
      merge: true,
      logLevel: "silent",
      ...(version === "1.1" ? { customTags: asPythonReads } : {}),
    });
    const mistake = document.errors[0];
    if (mistake)
      throw new ConfigError(
        `${file}:${lines.linePos(mistake.pos[0]).line}: this is not valid YAML (${firstLine(mistake.message)}). Correct that line.`,
      );
    data = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // Too many aliases, an alias of nothing, nesting too deep: the library throws plain errors once the text itself was fine.
    throw new ConfigError(
      `${file}: this YAML cannot be read (${firstLine(error instanceof Error ? error.message : String(error))}). Write it without aliases.`,
    );
  }
  return { file, data, lineOf: (path) => lineOf(document, lines, path) };
}

/** Python's reader takes `yes` and `on` for true as YAML 1.1 says, and a single `y` or `n`, such as a key that is pressed, for text. */
const asPythonReads = (tags: Tags): Tags => tags.map((tag) => (isBool(tag) ? { ...tag, test: longer(tag) } : tag));

const isBool = (tag: Tags[number]): tag is ScalarTag => typeof tag === "object" && tag.tag === "tag:yaml.org,2002:bool";
const longer = ({ test }: ScalarTag): RegExp =>
  test?.test("yes") ? /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/ : /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;

function lineOf(document: Document, lines: Lines, path: readonly string[]): number | undefined {
  const { isMap, isSeq } = loadYaml();
  let node: unknown = document.contents;
  let line: number | undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyOf(key) === part);
      if (!pair) return line;
      line = lineOfNode(pair.key, lines) ?? line;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      line = lineOfNode(node, lines) ?? line;
    } else return line;
  }
  return line;
}

const ranged = (node: unknown): node is { range: [number, number, number] } =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);

const lineOfNode = (node: unknown, lines: Lines): number | undefined => (ranged(node) ? lines.linePos(node.range[0]).line : undefined);

const keyOf = (key: unknown): string => String(typeof key === "object" && key !== null && "value" in key ? key.value : key);

const firstLine = (text: string): string => (text.split("\n")[0] ?? text).replace(/:$/, "");
