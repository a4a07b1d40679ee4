import type { Document, YAMLParseError } from "yaml";
import { loadYaml } from "../../package/load-yaml.ts";

/** What is wrong with a text that is not YAML, in words, what to do about it, and where the mistake was made (an offset). */
export interface YamlMistake {
  readonly what: string;
  readonly cure: string;
  readonly offset: number;
}

/**
 * The first mistake of a document. The parser names where it could not go on; what is open there (a quote, a bracket) or stands a column
 * too far right was often written on another line, and that one is named here.
 */
export function yamlMistake(document: Document.Parsed): YamlMistake | undefined {
  const error = document.errors[0];
  if (!error) return undefined;
  const [start] = error.pos;
  const said = error.message.replace(/\.?$/, "");
  switch (error.code) {
    case "MISSING_CHAR":
      if (!error.message.startsWith("Missing closing"))
        return { what: said, cure: "compare this line with the ones around it", offset: start };
      return {
        what: "a quote is not closed",
        cure: "close the quote that begins on this line",
        offset: lastStart(document, start, isQuoted),
      };
    case "BAD_INDENT":
      if (!error.message.startsWith("Flow")) return { what: said, cure: sameColumn, offset: start };
      return {
        what: "a bracket is not closed",
        cure: "close the bracket that opens on this line",
        offset: lastStart(document, start, isFlow),
      };
    case "BLOCK_AS_IMPLICIT_KEY":
      return {
        what: "a key inside a value",
        cure: `${sameColumn}, or put a value that holds ": " in quotes`,
        offset: keyOffset(document, start),
      };
    case "MULTILINE_IMPLICIT_KEY":
      return { what: "a key without a value", cure: "write `key: value`, with a colon and a space", offset: start };
    case "MULTIPLE_DOCS":
      return { what: "more than one document", cure: "keep one and take the line `---` out", offset: start };
    default:
      return { what: said, cure: cures[error.code] ?? "correct this line", offset: start };
  }
}

const sameColumn = "begin what belongs together in the same column";
const cures: Partial<Record<YAMLParseError["code"], string>> = {
  TAB_AS_INDENT: "indent with spaces",
  DUPLICATE_KEY: "take one of the two out",
  BAD_SCALAR_START: "put the value in quotes",
  BAD_DQ_ESCAPE: "write \\\\ for a backslash, or use single quotes",
};

/** A value that goes on over a line's end is taken for a key: the key itself stands where it ends. */
function keyOffset(document: Document.Parsed, start: number): number {
  const long = document.errors.find((error) => error.code === "MULTILINE_IMPLICIT_KEY" && error.pos[0] === start);
  return long ? Math.max(start, long.pos[1] - 1) : start;
}

const isQuoted = (node: unknown): boolean => loadYaml().isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
const isFlow = (node: unknown): boolean => loadYaml().isCollection(node) && node.flow === true;

/** Where the last node of this sort begins that was open at `before`; `before` where there is none. */
function lastStart(document: Document.Parsed, before: number, fits: (node: unknown) => boolean): number {
  let found: number | undefined;
  loadYaml().visit(document, {
    Node: (_key, node) => {
      if (fits(node) && node.range && node.range[0] <= before) found = Math.max(found ?? 0, node.range[0]);
    },
  });
  return found ?? before;
}
