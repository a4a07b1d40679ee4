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

/**
 * The fence that opens first at or after `from`. It closes at a line of at least as many backticks and nothing else; one inside a
 * here-document of the block belongs to that document, as long as the document ends.
 */
export function nextFence(text: string, from: number): Fence | undefined {
  const opening = /^([ \t]*)(`{3,})[ \t]*([^\s`]*)[^`\n]*(?:\n|$)/gm;
  opening.lastIndex = lineStartAt(text, from);
  const match = opening.exec(text);
  if (match === null) return undefined;
  const [whole, indent = "", ticks = "", language = ""] = match;
  const begin = match.index + whole.length;
  const lines = whole.endsWith("\n") ? text.slice(begin).split("\n") : [];
  const last = closingLine(lines, new RegExp(`^[ \\t]*\`{${ticks.length},}[ \\t\\r]*$`));
  const inside = last === -1 ? lines : lines.slice(0, last);
  const content = inside.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n");
  const end = last === -1 ? text.length : begin + lines.slice(0, last + 1).join("\n").length;
  return { start: match.index, end, language: language.toLowerCase(), content, closed: last !== -1 };
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
