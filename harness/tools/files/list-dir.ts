import { z } from "zod";
import { fileFacts, similarPaths } from "./file-facts.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import { missing } from "./read.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool } from "../tool.ts";

const maxEntries = 500;

const parameters = z.strictObject({ path: z.string().min(1).optional().describe("Folder; default the working directory.") });

/** The entries of one folder. */
export const listDir = (): Tool<z.infer<typeof parameters>> => ({
  name: "list_dir",
  description: "List a folder: one entry a line, hidden ones too, folders with a slash at the end.",
  parameters,
  readOnly: true,
  paths: ({ path = "." }) => [path],
  async run({ path: given = "." }, { sandbox, signal }) {
    const path = absolutePath(sandbox, given);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "missing") return missing(given, await similarPaths(sandbox, path, signal));
    if (facts.type !== "folder") return { status: "error", content: [], note: `${given} is a file. Read it with read.`, error: "is_file" };
    // Entries sorted by bytes, whatever the locale of the sandbox.
    const done = await sandbox.exec(`LC_ALL=C ls -1Ap ${quote(path)} | head -n ${maxEntries + 1}`, { timeoutMs: 30_000, signal });
    const entries = new TextDecoder()
      .decode(done.stdout)
      .split("\n")
      .filter((line) => line !== "");
    if (entries.length === 0) {
      const why = new TextDecoder().decode(done.stderr).trim();
      if (why !== "") return { status: "error", content: [], note: `${given} cannot be listed: ${why}`, error: "unreadable" };
      return { status: "ok", content: [], note: `${given} is empty.` };
    }
    const text = `${entries.slice(0, maxEntries).join("\n")}\n`;
    const note = entries.length > maxEntries ? { note: `Only the first ${maxEntries} entries are shown. Use glob to narrow it.` } : {};
    return { status: "ok", content: [{ type: "text", text }], ...note };
  },
});
