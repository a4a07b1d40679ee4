import { diffArrays } from "diff";

type Files = Readonly<Record<string, string>>;

/** Lines from `first` on (from 1) that are to go, and what comes in their place. */
interface Hunk {
  readonly first: number;
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  /** The line behind it, where there is one, else the file's last. */
  readonly beside: string;
  readonly atEnd: boolean;
}

/**
 * For a beginner: in which lines the files of `broken` are unlike those of `right`, and the commands (GNU sed) that make them alike. Every file of
 * `right` must be in `broken` too. Throws where there is nothing to be mended.
 */
export function directions(broken: Files, right: Files): string {
  const mends = Object.keys(broken).flatMap((path) => {
    const [before = "", after] = [broken[path], right[path]];
    if (after === undefined) return [{ where: `\`${path}\` has to go`, command: `rm ${path}` }];
    const hunks = hunksOf(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
    return hunks.length > 0 ? [{ where: whereIn(path, hunks), command: mending(path, hunks) }] : [];
  });
  if (mends.length === 0) throw new Error("There is nothing to be mended.");
  const where = `${mends.map((one) => one.where).join(". ")}; all else is right.`;
  return `${where} Run ${mends.length > 1 ? "these commands" : "this command"} to mend it:\n\n${fenced(mends.map(({ command }) => command).join("\n"))}`;
}

/** A command in a block of its own. */
export const fenced = (command: string): string => `\`\`\`sh\n${command.trimEnd()}\n\`\`\``;

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [line, open] = [1, false];
  for (const { added, removed, value } of diffArrays([...before], [...after])) {
    if (added || removed) {
      const last = open ? hunks.pop() : undefined;
      const { first, old, fresh } = last ?? { first: line, old: [], fresh: [] };
      const next = first - 1 + old.length + (removed ? value.length : 0);
      const at = { first, beside: before[next] ?? before.at(-1) ?? "", atEnd: next >= before.length };
      hunks.push(removed ? { ...at, old: [...old, ...value], fresh } : { ...at, old, fresh: [...fresh, ...value] });
    }
    open = added || removed;
    if (!added) line += value.length;
  }
  return hunks;
}

function whereIn(path: string, hunks: readonly Hunk[]): string {
  const places = hunks.map(({ first, old, fresh }) => {
    const last = first + old.length - 1;
    if (old.length === 0) return `something is missing ${first === 1 ? "at the top" : `behind line ${first - 1}`}`;
    if (fresh.length === 0) return old.length === 1 ? `line ${first} is too much` : `the lines ${first} to ${last} are too much`;
    return old.length === 1 ? `line ${first} is wrong` : `the lines ${first} to ${last} are wrong`;
  });
  return `In \`${path}\` ${places.join(", ")}`;
}

/** Line numbers are those of the file as it is: one sed for all. */
const mending = (path: string, hunks: readonly Hunk[]): string => {
  const all = hunks.flatMap(edits);
  return `sed -i ${all.length === 1 ? quoted(all[0] ?? "") : all.map((one) => `-e ${quoted(one)}`).join(" ")} ${path}`;
};

/** Where it can be said shortly, carrying it out again does no harm: weak models repeat what they did when something after it fails. */
function edits({ first, old, fresh, beside, atEnd }: Hunk): string[] {
  const last = first + old.length - 1;
  const range = old.length === 1 ? `${first}` : `${first},${last}`;
  const [line = ""] = old;
  const [instead = ""] = fresh;
  if (old.length === 0 && atEnd) return [`$${substitute(start(beside, fresh.at(-1) ?? "", ".*"), `&\\n${inserted(fresh)}`)}`];
  if (old.length === 0) return [`${first}${substitute(start(beside, instead), `${inserted(fresh)}\\n&`)}`];
  if (fresh.length === 0) return [old.length === 1 && !atEnd ? `${first}{/${start(line, beside).replaceAll("/", "\\/")}/d}` : `${range}d`];
  const piece = old.length === 1 && fresh.length === 1 && change(line, instead);
  if (piece) return [`${first}${substitution(...piece)}`];
  return [old.length === 1 ? `${first}${substitute(start(line, instead, ".*"), inserted(fresh))}` : `${range}c\\${block(fresh)}`];
}

/** A pattern for the beginning of a line, as long as it must be to tell it from another one, and `rest` behind it, unless it is all of the line. */
function start(line: string, other: string, rest = ""): string {
  const words = line.match(/ *[^ ]+/g) ?? [];
  const count = words.findIndex((_, i) => !other.startsWith(words.slice(0, i + 1).join("")));
  return count < 0 ? `^${escaped(line)}$` : `^${escaped(words.slice(0, count + 1).join(""))}${rest}`;
}

/** A text in a pattern. A full stop stands for itself too. */
const escaped = (piece: string): string => piece.replace(/[\\*[]|^\^|\$$/g, "\\$&").replaceAll("\t", "\\t");
const inserted = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/[\\&]/g, "\\$&").replaceAll("\t", "\\t")).join("\\n");

/** The text of `c`; behind its backslash, spaces at the beginning count. */
const block = (lines: readonly string[]): string => lines.map((line) => line.replaceAll("\\", "\\\\").replaceAll("\t", "\\t")).join("\\n");

/**
 * The piece in which a line differs from another one, up to the next spaces, and so much more that doing it twice does no harm. Nothing, where there is
 * no such piece.
 */
function change(line: string, instead: string): readonly [string, string] | undefined {
  let [start, end] = [0, 0];
  while (start < Math.min(line.length, instead.length) && line[start] === instead[start]) start++;
  const most = Math.min(line.length, instead.length) - start;
  while (end < most && line.at(-1 - end) === instead.at(-1 - end)) end++;
  const indent = line.length - line.trimStart().length;
  for (;;) {
    while (start > indent && line[start - 1] !== " ") start--;
    while (end > 0 && line.at(-end) !== " ") end--;
    const [from, to] = [line.slice(start, line.length - end), instead.slice(start, instead.length - end)];
    if (from !== "" && line.indexOf(from) === start && !to.includes(from)) return [from, to];
    if (start <= indent && end === 0) return undefined;
    if (start > indent) start--;
    if (end > 0) end--;
  }
}

const substitution = (from: string, to: string): string => substitute(escaped(from), inserted([to]));

function substitute(pattern: string, replacement: string): string {
  const mark = ["/", "|", "#", "@", "%", "~"].find((one) => !pattern.includes(one) && !replacement.includes(one)) ?? "/";
  return `s${mark}${[pattern, replacement].map((part) => (mark === "/" ? part.replaceAll("/", "\\/") : part)).join(mark)}${mark}`;
}

/** A word of the shell. A quote is given to sed by its number. */
const quoted = (expression: string): string => `'${expression.replaceAll("'", "\\x27")}'`;
