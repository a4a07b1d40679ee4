import { z } from "zod";
import { digest, fileFacts, similarPaths } from "./file-facts.ts";
import { restore } from "../observe/mark-untrusted.ts";
import { current, missing } from "./read.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool, ToolOutcome } from "../tool.ts";

const maxPlaces = 5;

const parameters = z.strictObject({
  path: z.string().min(1).describe("Relative to the working directory, or absolute."),
  old_string: z.string().min(1).describe("The text to replace, exactly as it is in the file, without line numbers; it must occur once."),
  new_string: z.string().describe("What to put in its place."),
  replace_all: z.boolean().optional().describe("Replace every occurrence."),
});

/** Replaces one exact piece of a file. */
export const edit = (): Tool<z.infer<typeof parameters>> => ({
  name: "edit",
  description: "Replace an exact piece of text in a file. Give enough lines around it to make it unique, or set replace_all.",
  parameters,
  readOnly: false,
  paths: ({ path }) => [path],
  async run(args, { sandbox, memory, signal }) {
    const path = absolutePath(sandbox, args.path);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "folder") return failed("is_folder", `${args.path} is a folder. Give the path of a file.`);
    if (facts.type === "unreadable") return failed("unreadable", `${args.path} cannot be edited: ${facts.why}.`);
    const file = facts.type === "file" ? await current(sandbox, path, memory.seen) : undefined;
    if (!file) return missing(args.path, await similarPaths(sandbox, path, signal));
    if (file.state === "stale") return failed("stale", `${args.path} was changed since you read it. Read it again, then edit.`);
    if (args.old_string === args.new_string)
      return failed("no_change", "old_string and new_string are equal. Say in new_string what the text should become.");
    const text = decode(file.content);
    if (text === undefined) return failed("binary", `${args.path} is not UTF-8 text. Change it with a command.`);

    const change = fit(text, args.old_string, args.new_string);
    if (!change) return failed("not_found", notFound(args.path, text, args.old_string));
    const places = occurrences(text, change.from);
    if (places.length > 1 && args.replace_all !== true) return failed("not_unique", notUnique(args.path, text, places));
    const bytes = new TextEncoder().encode(text.split(change.from).join(change.to));
    await sandbox.writeFile(path, bytes);
    memory.seen.set(path, digest(bytes));
    const lines = places.slice(0, maxPlaces).map((at) => lineAt(text, at));
    const note = `Edited ${args.path}: ${places.length} ${places.length === 1 ? "place" : "places"}, line ${lines.join(", ")}${places.length > maxPlaces ? ", …" : ""}.`;
    return { status: "ok", content: [], note, hint: { wrote: [path] } };
  },
});

/** Undefined where the bytes are no UTF-8: decoding and encoding would destroy them. A byte order mark is kept. */
function decode(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/**
 * What to look for and what to put there. The text as given; else with the file's own CRLF, which reading does not show; else without the
 * backslashes by which an observation makes protocol marks harmless.
 */
function fit(text: string, from: string, to: string): { from: string; to: string } | undefined {
  const crlf = (value: string): string => value.replace(/\r?\n/g, "\r\n");
  const forms = [(value: string): string => value, crlf, restore, (value: string): string => crlf(restore(value))];
  const form = forms.find((one) => text.includes(one(from)));
  return form && { from: form(from), to: form(to) };
}

function occurrences(text: string, piece: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) places.push(at);
  return places;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

function notUnique(path: string, text: string, places: readonly number[]): string {
  const lines = text.split("\n");
  const shown = places
    .slice(0, maxPlaces)
    .map((at) => `  line ${lineAt(text, at)}: ${(lines[lineAt(text, at) - 1] ?? "").trim().slice(0, 120)}`);
  const more = places.length > maxPlaces ? [`  and ${places.length - maxPlaces} more`] : [];
  return [
    `old_string occurs ${places.length} times in ${path}:`,
    ...shown,
    ...more,
    "Add lines around it to make it unique, or set replace_all.",
  ].join("\n");
}

/** Says where the text differs only in white space, the usual reason. */
function notFound(path: string, text: string, wanted: string): string {
  const squeeze = (line: string): string => line.trim().replace(/\s+/g, " ");
  const first = squeeze(wanted.split("\n").find((line) => line.trim() !== "") ?? "");
  const lines = text.split("\n").flatMap((line, i) => (first !== "" && squeeze(line) === first ? [i + 1] : []));
  const hint =
    lines.length > 0
      ? ` Its first line is there but for white space or what follows, at line ${lines.slice(0, maxPlaces).join(", ")}.`
      : "";
  return `old_string is not in ${path}.${hint} Read the place again and copy it exactly, without line numbers.`;
}

const failed = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });
