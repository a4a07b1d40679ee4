import { createTwoFilesPatch } from "diff";
import type { JsonObject } from "../harness/json.ts";
import { memberOf, textOf } from "./story-entry.ts";
import { oneLine, printable } from "./terminal/printable.ts";

/** Texts that are longer together are not compared: finding a short way from one to the other may take seconds. */
const longest = 100_000;

/** What a recorded `tool.call` would do to a file, as a unified diff: of one that replaces a text, or writes a whole file. Undefined for other calls. */
export function callDiff(d: JsonObject): string | undefined {
  const args = memberOf(memberOf(d, "call"), "args");
  const path = oneLine(textOf(args, "path") || textOf(args, "file_path"));
  if (path === "") return undefined;
  const [before, after] = typeof args["old_string"] === "string" ? [args["old_string"], args["new_string"]] : ["", args["content"]];
  if (typeof after !== "string" || before.length + after.length > longest) return undefined;
  const patch = createTwoFilesPatch(path, path, printable(before), printable(after), "", "", { context: 3, maxEditLength: 4000 });
  // the line of equals signs says nothing, and places in a piece of a file neither
  return patch?.replace(/^(?:Index: .*\n)?=+\n/, "").replaceAll(/^@@ .*\n/gm, "").replaceAll("\\ No newline at end of file\n", "").trimEnd(); // prettier-ignore
}
