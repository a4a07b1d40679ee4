/** A fenced block of Markdown in a text. Offsets are of UTF-16 units. */
export interface Fence {
  /** Where its opening line starts, and where the text goes on after its closing line. */
  readonly start: number;
  readonly end: number;
  /** The first word after the backticks, in lower case; empty where there is none. */
  readonly language: string;
  readonly content: string;
  readonly closed: boolean;
}

/** At the start of a line; behind other words only in a language that calls are written in. */
const openings = /(?:^([ \t]*)(`{3,})[ \t]*([^\s`]*)[^`\n]*|(?<=[^`\n])(`{3,})(bash|sh|shell|json)[ \t\r]*)(?:\n|$)/gm;

/** The fence of a text that opens first at or after an offset. */
export type NextFence = (from: number) => Fence | undefined;

/**
 * Looks for the fences of one text. A fence closes at a line of at least as many backticks and nothing else; one inside a here-document of the block
 * belongs to that document, as long as the document ends. Without such a line, backticks at the end of one do. A closed fence costs no more than its
 * own lines, however long the text goes on behind it.
 */
export function fencesIn(text: string): NextFence {
  const documents = documentEnds(text);
  return (from) => {
    const opening = new RegExp(openings);
    opening.lastIndex = lineStartAt(text, from);
    const match = opening.exec(text);
    if (match === null) return undefined;
    const [whole, indent = ""] = match;
    const ticks = match[2] ?? match[4] ?? "";
    const language = match[3] ?? match[5] ?? "";
    const begin = match.index + whole.length;
    const unindent = (line: string): string => (line.startsWith(indent) ? line.slice(indent.length) : line);
    const plain = (block: string): string => block.split("\n").map(unindent).join("\n");
    const fence = { start: match.index, language: language.toLowerCase() };
    const closing = whole.endsWith("\n") ? closingLine(text, begin, { ticks: ticks.length, documents }) : undefined;
    if (closing !== undefined) {
      return { ...fence, content: plain(text.slice(begin, Math.max(begin, closing.start - 1))), end: closing.end, closed: true };
    }
    const rest = whole.endsWith("\n") ? text.slice(begin) : "";
    const trailing = new RegExp(`\`{${ticks.length},}[ \\t\\r]*$`, "m").exec(rest);
    const inside = rest.slice(0, trailing?.index);
    // Backticks on a line of their own, within a here-document that ends behind them: the line break before them is not the block's.
    const content = plain(trailing === null ? inside : inside.replace(/\n[ \t]*$/, ""));
    const end = trailing === null ? text.length : begin + trailing.index + trailing[0].length;
    return { ...fence, content, end, closed: trailing !== null };
  };
}

/** `from` itself where a line starts there, else the start of the next line. */
function lineStartAt(text: string, from: number): number {
  if (from === 0 || text[from - 1] === "\n") return from;
  const next = text.indexOf("\n", from);
  return next === -1 ? text.length : next + 1;
}

function closingLine(
  text: string,
  from: number,
  { ticks, documents }: { ticks: number; documents: (word: string, after: number) => number | undefined },
): { start: number; end: number } | undefined {
  const closing = new RegExp(`^[ \\t]*\`{${ticks},}[ \\t\\r]*$`);
  for (let start = from; start <= text.length;) {
    const end = lineEnd(text, start);
    const line = text.slice(start, end);
    if (closing.test(line)) return { start, end };
    const delimiter = /<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))/.exec(line);
    const word = delimiter?.[1] ?? delimiter?.[2] ?? delimiter?.[3];
    const last = word === undefined ? undefined : documents(word, start);
    start = (last === undefined ? end : lineEnd(text, last)) + 1;
  }
  return undefined;
}

const lineEnd = (text: string, start: number): number => {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
};

/** The start of the first line behind offset `after` that says `word` and nothing else. All lines are looked at once, when a document is first met. */
function documentEnds(text: string): (word: string, after: number) => number | undefined {
  let places: Map<string, number[]> | undefined;
  return (word, after) => {
    places ??= linesByWord(text);
    const starts = places.get(word) ?? [];
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) > after) high = middle;
      else low = middle + 1;
    }
    return starts[low];
  };
}

function linesByWord(text: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let start = 0; start <= text.length; start = lineEnd(text, start) + 1) {
    const word = text.slice(start, lineEnd(text, start)).trim();
    if (word === "") continue;
    const starts = places.get(word);
    if (starts) starts.push(start);
    else places.set(word, [start]);
  }
  return places;
}

/** `content` in a fence that nothing in it can close. */
export function fenced(language: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${content}\n${ticks}`;
}
