import { z } from "zod";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { digest, fileFacts, similarPaths } from "./file-facts.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool, ToolOutcome, ToolRunContext } from "../tool.ts";

const defaultLines = 2_000;
/** Characters of one line that are shown. */
const lineChars = 2_000;
/** Bytes up to which a file is taken whole; of a longer one only the lines asked for are. */
const wholeBytes = 4 * 1024 * 1024;
const imageBytes = 5 * 1024 * 1024;

const parameters = z.strictObject({
  path: z.string().min(1).describe("Relative to the working directory, or absolute."),
  offset: z.int().min(1).optional().describe("First line to show; default 1."),
  limit: z.int().min(1).optional().describe(`Number of lines to show; default ${defaultLines}.`),
});
type Args = z.infer<typeof parameters>;

/** Shows a file with line numbers, or an image. */
export const read = (): Tool<Args> => ({
  name: "read",
  description: "Read a file: text with line numbers (number, tab, line), or an image. For a long file give offset and limit.",
  parameters,
  readOnly: true,
  paths: ({ path }) => [path],
  async run(args, context) {
    const { sandbox, signal } = context;
    const path = absolutePath(sandbox, args.path);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "missing") return missing(args.path, await similarPaths(sandbox, path, signal));
    if (facts.type === "folder") return failed("is_folder", `${args.path} is a folder. See what is in it with list_dir, or name a file.`);
    if (facts.type === "unreadable") return failed("unreadable", `${args.path} cannot be read: ${facts.why}. Name another file.`);
    if (facts.bytes > wholeBytes) return readPart(args, path, facts.bytes, context);
    const content = await sandbox.readFile(path);
    if (content === undefined) return missing(args.path, []);
    const image = imageType(content);
    if (image !== undefined) {
      if (content.length > imageBytes)
        return failed("too_large", `${args.path} is an image of ${content.length} bytes, more than can be shown. Make it smaller first.`);
      return { status: "ok", content: [{ type: "image", mediaType: image, data: Buffer.from(content).toString("base64") }] };
    }
    if (content.subarray(0, 8192).includes(0)) return binary(args.path, content.length);
    return show(args, path, content, context);
  },
});

function show(args: Args, path: string, content: Uint8Array, { memory }: ToolRunContext): ToolOutcome {
  const hash = digest(content);
  memory.seen.set(path, hash);
  const range = `${path}\0${args.offset ?? 1}:${args.limit ?? defaultLines}`;
  if (memory.shown.get(range) === hash) {
    // Once: who asks a third time has lost sight of it.
    memory.shown.delete(range);
    return {
      status: "ok",
      content: [],
      note: `${args.path} is unchanged since you read these lines; see above. Ask again to have them repeated.`,
    };
  }
  memory.shown.set(range, hash);
  const text = new TextDecoder().decode(content);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return { status: "ok", content: [], note: `${args.path} is empty.` };
  return numbered(args, lines, 1, `${lines.length} lines`);
}

/** `lines` starts with line number `first` of the file. */
function numbered(args: Args, lines: readonly string[], first: number, size: string): ToolOutcome {
  const offset = args.offset ?? 1;
  const from = offset - first;
  if (from >= lines.length) return failed("past_end", `${args.path} has ${size}; there is no line ${offset}. Give a smaller offset.`);
  const shown = lines.slice(from, from + (args.limit ?? defaultLines));
  const end = offset + shown.length - 1;
  const text = shown.map((line, i) => `${String(offset + i).padStart(6)}\t${cut(line)}\n`).join("");
  const rest = from + shown.length < lines.length;
  const note =
    rest || offset > 1 ? `Lines ${offset} to ${end} of ${args.path} (${size}).${rest ? ` Go on with offset ${end + 1}.` : ""}` : undefined;
  return { status: "ok", content: [{ type: "text", text }], ...(note !== undefined && { note }) };
}

const cut = (line: string): string =>
  line.length <= lineChars ? line : `${line.slice(0, lineChars)} [… ${line.length - lineChars} more characters in this line]`;

/** A few lines of a file too long to be taken whole. It does not count as seen, so that no later write rests on it. */
async function readPart(args: Args, path: string, bytes: number, { sandbox, signal }: ToolRunContext): Promise<ToolOutcome> {
  const offset = args.offset ?? 1;
  const end = offset + (args.limit ?? defaultLines);
  const part = await sandbox.exec(`sed -n '${offset},${end}p;${end}q' <${quote(path)} | head -c ${wholeBytes}`, {
    timeoutMs: 60_000,
    signal,
  });
  if (part.stdout.subarray(0, 8192).includes(0)) return binary(args.path, bytes);
  const text = new TextDecoder().decode(part.stdout);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return numbered(args, lines, offset, `${bytes} bytes`);
}

const failed = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });

const binary = (path: string, bytes: number): ToolOutcome =>
  failed("binary", `${path} is a binary file of ${bytes} bytes. Look at it with a command such as file, strings or xxd.`);

/** Also what `edit` answers. */
export function missing(path: string, similar: readonly string[]): ToolOutcome {
  const hint = similar.length > 0 ? `Did you mean ${similar.join(" or ")}?` : "Look for it with glob or list_dir.";
  return failed("not_found", `There is no file ${path}. ${hint}`);
}

/** The file as it is now; its digest against what the model saw. `unseen` when the model has not read it in this run. */
export async function current(
  sandbox: Sandbox,
  path: string,
  seen: ReadonlyMap<string, string>,
): Promise<{ content: Uint8Array; state: "unseen" | "fresh" | "stale" } | undefined> {
  const content = await sandbox.readFile(path);
  if (content === undefined) return undefined;
  const known = seen.get(path);
  return { content, state: known === undefined ? "unseen" : known === digest(content) ? "fresh" : "stale" };
}

const signatures: readonly (readonly [mediaType: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

/** Media type of an image that models can see, by its first bytes. */
function imageType(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 16)).toString("latin1");
  return signatures.find(([, offset, bytes]) => head.startsWith(bytes, offset))?.[0];
}
