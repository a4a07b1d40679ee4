import { createTwoFilesPatch } from "diff";
import type { JsonObject } from "../../harness/json.ts";
import { memberOf, textOf } from "./story-entry.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";

/** Texts that are longer together are not compared: finding a short way from one to the other may take seconds. */
const longest = 100_000;

/** What a recorded `tool.call` would do to a file, as a unified diff: of one that replaces a text, or writes a whole file. Undefined for other calls. */
export function callDiff(d: JsonObject): string | undefined {
  const args = memberOf(memberOf(d, "call"), "args");
  const path = oneLine(textOf(args, "path") || textOf(args, "file_path"));
  if (path === "") return undefined;
  const [before, after] = typeof args["old_string"] === "string" ? [args["old_string"], args["new_string"]] : ["", args["content"]];
  if (typeof after !== "string" || before.length + after.length > longest) return undefined;
  const patch = createTwoFilesPatch("", "", ended(before), ended(after), "", "", { context: 3, maxEditLength: 4000 });
  if (patch === undefined) return undefined;
  // places in a piece of a file say nothing, and the library quotes names that are not plain
  const [, ...hunks] = patch.split(/^@@ .*\n/m);
  return `--- ${path}\n+++ ${path}\n${hunks.join("⋮\n")}`.trimEnd();
}

/** Whether a piece of a file ends in the middle of a line is no difference. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? printable(text) : `${printable(text)}\n`);
