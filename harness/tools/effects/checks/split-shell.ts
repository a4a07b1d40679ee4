/**
 * A careful reader of shell commands, just good enough to say which programs a command line runs and whose exit code it ends with. It knows
 * quotes, escapes, comments, redirections, here-documents, pipelines, lists, groups and subshells. What stands in `$(…)`, backticks or the
 * body of a function is never read as a command. It never throws: what it cannot read becomes words that name no program.
 */
export interface Simple {
  readonly type: "simple";
  /** Quotes removed, redirections left out; an expansion stays as it was written. */
  readonly words: readonly string[];
  /** Inside `if`, `while`, `for`, `case`: whether it ran, and how often, is not known. */
  readonly compound: boolean;
}
export interface Group {
  readonly type: "group";
  readonly list: List;
}
/** Stages joined by `|`. `next` is what follows the pipeline; `;` stands for newline too. */
export interface Pipeline {
  readonly stages: readonly (Simple | Group)[];
  readonly negated: boolean;
  readonly next: "&&" | "||" | ";" | "&" | "";
}
export type List = readonly Pipeline[];

type Token = { readonly type: "word"; readonly text: string; readonly bare: boolean } | { readonly type: "op"; readonly text: string };

export function splitShell(command: string): List {
  const tokens = tokenize(command);
  return parseList({ tokens, at: 0, depth: 0, compound: 0 }, "");
}

const operators = [
  "&&",
  "||",
  ";;",
  "|&",
  "&>>",
  "&>",
  ">>",
  "<<<",
  "<<-",
  "<<",
  ">&",
  "<&",
  "<>",
  ">|",
  ";",
  "&",
  "|",
  "(",
  ")",
  "<",
  ">",
  "\n",
];
const redirects = new Set(["&>>", "&>", ">>", "<<<", "<<-", "<<", ">&", "<&", "<>", ">|", "<", ">"]);

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const heredocs: string[] = [];
  let at = 0;
  while (at < source.length) {
    const char = source[at];
    if (char === " " || char === "\t" || char === "\r") at++;
    else if (char === "\\" && source[at + 1] === "\n") at += 2;
    else if (char === "#") at = lineEnd(source, at);
    else {
      const op = operators.find((one) => source.startsWith(one, at));
      if (op === "\n") {
        at++;
        tokens.push({ type: "op", text: ";" });
        for (const end of heredocs.splice(0)) at = afterHeredoc(source, at, end);
      } else if (op !== undefined) {
        at += op.length;
        const before = tokens.at(-1);
        // A number right before a redirection is its descriptor, not a word.
        if (redirects.has(op) && before?.type === "word" && /^\d+$/.test(before.text) && /\d/.test(source[at - op.length - 1] ?? ""))
          tokens.pop();
        tokens.push({ type: "op", text: op });
        if (op === "<<" || op === "<<-") {
          const word = readWord(source, skipBlanks(source, at));
          heredocs.push(word.text);
        }
      } else {
        const word = readWord(source, at);
        at = Math.max(word.end, at + 1);
        tokens.push({ type: "word", text: word.text, bare: word.bare });
      }
    }
  }
  return tokens;
}

const lineEnd = (source: string, at: number): number => (source.indexOf("\n", at) === -1 ? source.length : source.indexOf("\n", at));

function skipBlanks(source: string, at: number): number {
  while (source[at] === " " || source[at] === "\t") at++;
  return at;
}

function afterHeredoc(source: string, at: number, end: string): number {
  while (at < source.length) {
    const stop = lineEnd(source, at);
    const line = source.slice(at, stop);
    at = stop + 1;
    if (line === end || line.replace(/^\t+/, "") === end) break;
  }
  return Math.min(at, source.length);
}

/** One word from `at`; `bare` when nothing of it was quoted, so that it can be a keyword. */
function readWord(source: string, at: number): { text: string; end: number; bare: boolean } {
  let text = "";
  let bare = true;
  while (at < source.length && !" \t\r\n;&|()<>".includes(source[at] ?? "")) {
    const char = source[at];
    if (char === "\\") {
      bare = false;
      if (source[at + 1] !== "\n") text += source[at + 1] ?? "";
      at += 2;
    } else if (char === "'") {
      const end = closing(source, at + 1, "'");
      text += source.slice(at + 1, end);
      at = end + 1;
      bare = false;
    } else if (char === '"') {
      const end = closing(source, at + 1, '"');
      text += source
        .slice(at + 1, end)
        .replace(/\\([\\"$`])/g, "$1")
        .replaceAll("\\\n", "");
      at = end + 1;
      bare = false;
    } else if (char === "`") {
      const end = closing(source, at + 1, "`");
      text += source.slice(at, end + 1);
      at = end + 1;
      bare = false;
    } else if (char === "$" && (source[at + 1] === "(" || source[at + 1] === "{")) {
      const end = balanced(source, at + 1);
      text += source.slice(at, end);
      at = end;
      bare = false;
    } else {
      text += char;
      at++;
    }
  }
  return { text, end: at, bare };
}

/** Index of the closing quote, or the end of the source. Inside double quotes and backticks a backslash escapes. */
function closing(source: string, at: number, quote: string): number {
  while (at < source.length && source[at] !== quote) {
    if (quote === '"' && source[at] === "$" && source[at + 1] === "(") at = balanced(source, at + 1);
    else at += quote !== "'" && source[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, source.length);
}

/** Index after the bracket that closes the one at `at`; quotes inside are honoured. */
function balanced(source: string, at: number): number {
  const open = source[at];
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  while (at < source.length) {
    const char = source[at] ?? "";
    if (char === "\\") at++;
    else if (char === "'") at = closing(source, at + 1, "'");
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return at + 1;
    at++;
  }
  return source.length;
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  compound: number;
}

const openers = new Set(["if", "while", "until", "for", "case", "select"]);
const closers = new Set(["fi", "done", "esac"]);
const fillers = new Set(["then", "do", "else", "elif"]);

/** Reads until `end` (`)` or `}`) or the last token. */
function parseList(cursor: Cursor, end: string): Pipeline[] {
  const list: Pipeline[] = [];
  let stages: (Simple | Group)[] = [];
  let negated = false;
  const finish = (next: Pipeline["next"]): void => {
    if (stages.length > 0) list.push({ stages, negated, next });
    stages = [];
    negated = false;
  };
  while (cursor.at < cursor.tokens.length) {
    const token = cursor.tokens[cursor.at];
    if (token?.type === "op" && token.text !== "(" && !redirects.has(token.text)) {
      cursor.at++;
      if (token.text === ")") {
        if (end === ")") break;
      } else if (token.text === "&&" || token.text === "||" || token.text === "&") finish(token.text);
      else if (token.text === ";" || token.text === ";;") finish(";");
    } else if (token?.type === "word" && token.bare && token.text === "}") {
      cursor.at++;
      if (end === "}") break;
    } else if (token?.type === "word" && token.bare && token.text === "!") {
      cursor.at++;
      negated = true;
    } else {
      const stage = parseStage(cursor);
      if (stage) stages.push(stage);
    }
  }
  finish("");
  return list;
}

const deepest = 50;

function parseStage(cursor: Cursor): Simple | Group | undefined {
  const token = cursor.tokens[cursor.at];
  const opens =
    token?.type === "op" && token.text === "(" ? ")" : token?.type === "word" && token.bare && token.text === "{" ? "}" : undefined;
  if (opens !== undefined && cursor.depth < deepest) {
    cursor.at++;
    cursor.depth++;
    const list = parseList(cursor, opens);
    cursor.depth--;
    skipRedirects(cursor);
    return { type: "group", list };
  }
  if (opens !== undefined) cursor.at++;
  const words: string[] = [];
  while (cursor.at < cursor.tokens.length) {
    const next = cursor.tokens[cursor.at];
    if (next?.type === "op") {
      if (redirects.has(next.text)) {
        skipRedirects(cursor);
        continue;
      }
      if (next.text === "(" && words.length === 1) {
        skipFunction(cursor);
        return undefined;
      }
      if (next.text === "(") cursor.at++;
      else break;
    } else if (next) {
      cursor.at++;
      if (words.length === 0 && next.bare && next.text === "function") {
        cursor.at++; // its name
        skipFunction(cursor);
        return undefined;
      }
      if (words.length === 0 && next.bare && fillers.has(next.text)) return undefined;
      if (words.length === 0 && next.bare && openers.has(next.text)) {
        cursor.compound++;
        // `if` and `while` are followed by a command; the head of the others is no command.
        if (next.text === "if" || next.text === "while" || next.text === "until") return undefined;
      }
      if (words.length === 0 && next.bare && closers.has(next.text)) {
        cursor.compound = Math.max(0, cursor.compound - 1);
        return undefined;
      }
      words.push(next.text);
    }
  }
  return words.length > 0 ? { type: "simple", words, compound: cursor.compound > 0 } : undefined;
}

function skipRedirects(cursor: Cursor): void {
  for (;;) {
    const token = cursor.tokens[cursor.at];
    if (token?.type !== "op" || !redirects.has(token.text)) return;
    cursor.at++;
    if (cursor.tokens[cursor.at]?.type === "word") cursor.at++;
  }
}

/** `name ( ) { … }`: the body runs only where it is called, if at all. */
function skipFunction(cursor: Cursor): void {
  while (isOp(cursor.tokens[cursor.at], "(") || isOp(cursor.tokens[cursor.at], ")") || isOp(cursor.tokens[cursor.at], ";")) cursor.at++;
  if (cursor.depth >= deepest) return;
  cursor.depth++;
  parseStage(cursor);
  cursor.depth--;
}
const isOp = (token: Token | undefined, text: string): boolean => token?.type === "op" && token.text === text;
