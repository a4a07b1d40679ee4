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

/**
 * The fence that opens first at or after `from`. It closes at a line of at least as many backticks and nothing else; one inside a
 * here-document of the block belongs to that document, as long as the document ends. Without such a line, backticks at the end of one do.
 */
export function nextFence(text: string, from: number): Fence | undefined {
  const opening = new RegExp(openings);
  opening.lastIndex = lineStartAt(text, from);
  const match = opening.exec(text);
  if (match === null) return undefined;
  const [whole, indent = ""] = match;
  const ticks = match[2] ?? match[4] ?? "";
  const language = match[3] ?? match[5] ?? "";
  const begin = match.index + whole.length;
  const lines = whole.endsWith("\n") ? text.slice(begin).split("\n") : [];
  const last = closingLine(lines, new RegExp(`^[ \\t]*\`{${ticks.length},}[ \\t\\r]*$`));
  const unindent = (line: string): string => (line.startsWith(indent) ? line.slice(indent.length) : line);
  const fence = { start: match.index, language: language.toLowerCase() };
  if (last !== -1) {
    const content = lines.slice(0, last).map(unindent).join("\n");
    return { ...fence, content, end: begin + lines.slice(0, last + 1).join("\n").length, closed: true };
  }
  const trailing = new RegExp(`\`{${ticks.length},}[ \\t\\r]*$`, "m").exec(lines.join("\n"));
  const inside = lines.join("\n").slice(0, trailing?.index);
  // Backticks on a line of their own, within a here-document that ends behind them: the line break before them is not the block's.
  const content = (trailing === null ? inside : inside.replace(/\n[ \t]*$/, "")).split("\n").map(unindent).join("\n");
  const end = trailing === null ? text.length : begin + trailing.index + trailing[0].length;
  return { ...fence, content, end, closed: trailing !== null };
}

/** `from` itself where a line starts there, else the start of the next line. */
function lineStartAt(text: string, from: number): number {
  if (from === 0 || text[from - 1] === "\n") return from;
  const next = text.indexOf("\n", from);
  return next === -1 ? text.length : next + 1;
}

function closingLine(lines: readonly string[], closing: RegExp): number {
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (closing.test(line)) return i;
    const delimiter = /<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))/.exec(line);
    if (delimiter === null) continue;
    const word = delimiter[1] ?? delimiter[2] ?? delimiter[3];
    const endsAt = lines.findIndex((later, at) => at > i && later.trim() === word);
    if (endsAt !== -1) i = endsAt;
  }
  return -1;
}

/** `content` in a fence that nothing in it can close. */
export function fenced(language: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${content}\n${ticks}`;
}
