import type { Draw } from "../draw.ts";

/** A kind of configuration file with sections of settings. */
export interface ConfigKind {
  readonly name: string;
  readonly ending: string;
  /** How it looks, in a sentence. */
  readonly form: string;
  readonly comment: "#" | ";";
  /** The lines of a section's begin and end; `SECTION` stands for its name. */
  readonly header: string;
  readonly footer?: string;
  /** A setting; `KEY` and `VALUE` stand for its parts. */
  readonly entry: string;
  /** Python: regular expressions for a header (group 1 is the name) and a setting (groups head, key, value, tail). */
  readonly headerPattern: string;
  readonly entryPattern: string;
}

const entryPattern = (mark: string, separator: string): string =>
  String.raw`(?P<head>\s*(?P<key>[a-z_]+)${separator}\s*)(?P<value>"[^"]*"|.*?)(?P<tail>(\s+${mark}.*)?\s*)`;

export const configKinds: readonly ConfigKind[] = [
  {
    name: "INI",
    ending: "ini",
    form: "`[SECTION]` begins a section, `KEY = VALUE` is a setting, a line whose first character other than spaces is `;` is a comment",
    comment: ";",
    header: "[SECTION]",
    entry: "KEY = VALUE",
    headerPattern: String.raw`\[([a-z]+)\]\s*`,
    entryPattern: entryPattern(";", String.raw`\s*=`),
  },
  {
    name: "TOML",
    ending: "toml",
    form: "`[SECTION]` begins a section, `KEY = VALUE` is a setting, a line whose first character other than spaces is `#` is a comment",
    comment: "#",
    header: "[SECTION]",
    entry: "KEY = VALUE",
    headerPattern: String.raw`\[([a-z]+)\]\s*`,
    entryPattern: entryPattern("#", String.raw`\s*=`),
  },
  {
    name: "YAML",
    ending: "yaml",
    form: "`SECTION:` at the beginning of a line begins a section, `  KEY: VALUE` is a setting in it, a line whose first character other than spaces is `#` is a comment",
    comment: "#",
    header: "SECTION:",
    entry: "  KEY: VALUE",
    headerPattern: String.raw`([a-z]+):\s*`,
    entryPattern: entryPattern("#", String.raw`:`),
  },
  {
    name: "nginx-like",
    ending: "conf",
    form: "`SECTION {` begins a section and `}` ends it, `    KEY VALUE;` is a setting, a line whose first character other than spaces is `#` is a comment; there are no sections in sections",
    comment: "#",
    header: "SECTION {",
    footer: "}",
    entry: "    KEY VALUE;",
    headerPattern: String.raw`([a-z]+) \{\s*`,
    entryPattern: String.raw`(?P<head>\s*(?P<key>[a-z_]+)\s+)(?P<value>"[^"]*"|[^;]*?)(?P<tail>\s*;.*)`,
  },
];

export const sections = ["server", "database", "cache", "mail", "search", "backup"] as const;
export const keys = ["port", "host", "timeout", "size", "level", "path", "workers"] as const;

export const entryOf = ({ entry }: ConfigKind, key: string, value: string | number): string =>
  entry.replace("KEY", key).replace("VALUE", String(value));
export const headerOf = ({ header }: ConfigKind, section: string): string => header.replace("SECTION", section);

/** A file in which `key` stands in each of `names`, once behind a comment's mark; a value is a number of four digits, no two alike. */
export function configExample(d: Draw, kind: ConfigKind, names: readonly string[], key: string): string[] {
  const values = d.shuffled(Array.from({ length: 60 }, (_, i) => 1010 + i * 37));
  const value = (): number => values.pop() ?? 0;
  return [
    `${kind.comment} ${d.pick(["settings of the shop", "do not edit on the server", "see the handbook"])}`,
    ...names.flatMap((name) => {
      const others = d.some(keys.filter((other) => other !== key), d.int(1, 3)); // prettier-ignore
      const entries = d.shuffled([key, ...others]).flatMap((one) => {
        const line = entryOf(kind, one, value());
        const indent = line.slice(0, line.length - line.trimStart().length);
        const before = entryOf(kind, one, value()).trimStart();
        return one === key && d.chance(0.5) ? [`${indent}${kind.comment} ${before}`, line] : [line];
      });
      return ["", headerOf(kind, name), ...entries, ...(kind.footer ? [kind.footer] : [])];
    }),
  ];
}
