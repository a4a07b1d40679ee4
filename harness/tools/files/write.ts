import { z } from "zod";
import { digest, fileFacts } from "./file-facts.ts";
import { current } from "./read.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool, ToolOutcome } from "../tool.ts";

const parameters = z.strictObject({
  path: z.string().min(1).describe("Relative to the working directory, or absolute. Folders that are missing are made."),
  content: z.string().describe("The whole new text of the file."),
});

/** Makes or replaces a file. A file that is there has to be read first, so that nothing is overwritten unseen. */
export const write = (): Tool<z.infer<typeof parameters>> => ({
  name: "write",
  description: "Write a whole file. A file that exists must be read first; to change a part of it, use edit.",
  parameters,
  readOnly: false,
  paths: ({ path }) => [path],
  async run({ path: given, content }, { sandbox, memory, signal }) {
    const path = absolutePath(sandbox, given);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "folder") return failed("is_folder", `${given} is a folder. Give the path of a file.`);
    if (facts.type === "unreadable") return failed("unreadable", `${given} cannot be written: ${facts.why}.`);
    const before = facts.type === "file" ? await current(sandbox, path, memory.seen) : undefined;
    const bytes = new TextEncoder().encode(content);
    if (before && before.state !== "fresh" && before.content.length > 0) {
      return before.state === "stale"
        ? failed("stale", `${given} was changed since you read it. Read it again, then write.`)
        : failed("not_read", `${given} exists and was not read in this session. Read it first, or use edit.`);
    }
    if (before && Buffer.from(before.content).equals(bytes))
      return { status: "ok", content: [], note: `${given} has this text already; nothing was changed.` };
    await sandbox.writeFile(path, bytes);
    memory.seen.set(path, digest(bytes));
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    return {
      status: "ok",
      content: [],
      note: `${before ? "Replaced" : "Created"} ${given} (${lines} ${lines === 1 ? "line" : "lines"}).`,
      hint: { wrote: [path] },
    };
  },
});

const failed = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });
