/** A file that a rewritten Dockerfile copies; it goes into the build context beside the task's own. */
export interface ContextFile {
  readonly path: string;
  readonly content: string;
}

export interface Inlined {
  readonly dockerfile: string;
  readonly files: readonly ContextFile[];
  /** Lines, from 1, of here-documents that only a newer builder can expand: a `COPY` whose text names variables. */
  readonly left: readonly number[];
}

/** Where the files of `COPY <<END` lie in the context. */
const folder = ".forge-here-documents";

interface HereDocument {
  readonly name: string;
  readonly quoted: boolean;
  /** `<<-`: leading tabs do not count. */
  readonly tabs: boolean;
  readonly body: string;
}

/**
 * Writes the here-documents of a Dockerfile so that every builder reads them: a `RUN` becomes one in exec form with its script, a `COPY` copies files
 * of the context. Lines keep their numbers. What BuildKit would do with them is in Docker's Dockerfile reference, "Here-Documents".
 */
export function inlineHereDocuments(text: string): Inlined {
  const lines = text.split(/\r?\n/);
  const written = [...lines];
  const files: ContextFile[] = [];
  const left: number[] = [];
  let shell: readonly string[] = ["/bin/sh", "-c"];
  for (let i = 0; i < lines.length; i++) {
    if (/^\s*(#|$)/.test(lines[i] ?? "")) continue;
    const { joined, end } = logicalLine(lines, i);
    const [, name = "", flags = "", rest = ""] = /^\s*(\S+)\s*((?:--\S+\s+)*)([^]*)$/.exec(joined) ?? [];
    const instruction = name.toUpperCase();
    if (instruction === "SHELL") shell = wordsOf(rest) ?? shell;
    const found = ["RUN", "COPY", "ADD"].includes(instruction) && !rest.startsWith("[") ? documentsOf(rest, lines, end + 1) : undefined;
    if (!found) {
      i = end;
      continue;
    }
    const { documents, next } = found;
    const expands = documents.some(({ quoted, body }) => !quoted && /[$\\]/.test(body));
    if (instruction === "RUN") written[i] = `RUN ${flags}${JSON.stringify([...shell, scriptOf(rest, documents)])}`;
    else if (expands) left.push(i + 1);
    else {
      const place = (at: number): string => `${folder}/${i + 1}-${at}/`;
      const copied = documents.map((one, at) => ({ path: place(at) + one.name, content: untabbed(one) }));
      files.push(...copied);
      let at = 0;
      written[i] = `${instruction} ${flags}${rest.replace(mark, () => copied[at++]?.path ?? "")}`;
    }
    if (instruction === "RUN" || !expands) written.fill("#", i + 1, next);
    i = next - 1;
  }
  return { dockerfile: written.join("\n"), files, left };
}

/** A line with those it is continued on, and the index of the last. */
function logicalLine(lines: readonly string[], first: number): { joined: string; end: number } {
  let joined = "";
  for (let i = first; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (joined !== "" && /^\s*(#|$)/.test(line)) continue;
    const continued = /\\\s*$/.exec(line);
    joined += continued ? line.slice(0, continued.index) : line;
    if (!continued) return { joined, end: i };
  }
  return { joined, end: lines.length - 1 };
}

const mark = /(?<![<\w])\d*<<(-?)\s?(["']?)([A-Za-z_][\w.]*)\2(?![\w'"])/g;

/** The here-documents that a command begins, with their texts from line `from` on; undefined where there are none, or one has no end. */
function documentsOf(rest: string, lines: readonly string[], from: number): { documents: HereDocument[]; next: number } | undefined {
  const documents: HereDocument[] = [];
  let next = from;
  for (const match of rest.matchAll(mark)) {
    if (isQuoted(rest, match.index)) continue;
    const [, dash, quote, name = ""] = match;
    const tabs = dash === "-";
    const end = lines.findIndex((line, at) => at >= next && (tabs ? line.replace(/^\t+/, "") : line) === name);
    if (end < 0) return undefined;
    const body = lines.slice(next, end).map((line) => `${line}\n`);
    documents.push({ name, quoted: quote !== "", tabs, body: body.join("") });
    next = end + 1;
  }
  return documents.length === 0 ? undefined : { documents, next };
}

/** Whether a place of a command lies between quotes. */
function isQuoted(text: string, place: number): boolean {
  let open: string | undefined;
  for (let i = 0; i < place; i++) {
    const letter = text[i];
    if (letter === "\\" && open !== "'") i += 1;
    else if (open !== undefined) open = letter === open ? undefined : open;
    else if (letter === "'" || letter === '"') open = letter;
  }
  return open !== undefined;
}

const untabbed = ({ tabs, body }: HereDocument): string => (tabs ? body.replace(/^\t+/gm, "") : body);

/** Alone, a here-document is the script itself, or a program where it begins with `#!`; else the shell reads it, as anywhere. */
function scriptOf(rest: string, documents: readonly HereDocument[]): string {
  const [first] = documents;
  if (first && documents.length === 1 && rest.trim().replace(mark, "") === "") {
    const script = untabbed(first);
    if (!script.startsWith("#!")) return script;
    return `f=$(mktemp) && cat >"$f" <<'FORGE_END_OF_SCRIPT' && chmod 755 "$f" && "$f"; s=$?; rm -f "$f"; exit $s\n${script}FORGE_END_OF_SCRIPT\n`;
  }
  return `${rest}\n${documents.map(({ name, body }) => `${body}${name}\n`).join("")}`;
}

function wordsOf(json: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.map(String) : undefined;
  } catch {
    return undefined;
  }
}
