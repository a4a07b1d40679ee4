import { posix } from "node:path";
import { z } from "zod";
import { fileFacts, similarPaths } from "../files/file-facts.ts";
import { globPattern } from "./glob-pattern.ts";
import { missing } from "../files/read.ts";
import { ripgrep } from "./ripgrep.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool, ToolOutcome } from "../tool.ts";

const maxPaths = 500;

const parameters = z.strictObject({
  pattern: z.string().min(1).describe("Such as *.py, src/**/*.ts or {a,b}.txt. Without a slash it is looked for at every depth."),
  path: z.string().min(1).optional().describe("Folder to look in; default the working directory."),
});

/** Paths of files that fit a pattern, sorted. What git ignores is left out where ripgrep runs. */
export const glob = (): Tool<z.infer<typeof parameters>> => ({
  name: "glob",
  description: "Find files by the pattern of their path.",
  parameters,
  readOnly: true,
  paths: ({ path = "." }) => [path],
  async run({ pattern, path: given = "." }, { sandbox, signal }) {
    const regex = globPattern(pattern);
    if (!regex) return failed("bad_pattern", `"${pattern}" is no pattern: a bracket does not close. Correct it.`);
    const path = absolutePath(sandbox, given);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "missing") return missing(given, await similarPaths(sandbox, path, signal));
    if (facts.type !== "folder") return failed("is_file", `${given} is a file. Give a folder, or read it.`);

    const rg = await ripgrep(sandbox);
    const list = rg
      ? `${rg} --no-config --files --hidden --null --glob '!.git' --no-messages`
      : "find . \\( -name .git -o -name node_modules \\) -prune -o -type f -print | tr '\\n' '\\000'";
    const done = await sandbox.exec(list, { cwd: path, timeoutMs: 60_000, signal, maxBytes: 32 * 1024 * 1024 });
    const prefix = given === "." ? "" : given;
    const fitting = new TextDecoder()
      .decode(done.stdout)
      .split("\0")
      .map((file) => file.replace(/^\.\//, ""))
      .filter((file) => file !== "" && regex.test(file))
      .sort()
      .map((file) => posix.join(prefix, file));
    if (fitting.length === 0) return { status: "ok", content: [], note: `No file fits ${pattern}. Try a wider pattern, or list_dir.` };
    const text = `${fitting.slice(0, maxPaths).join("\n")}\n`;
    const cut = fitting.length > maxPaths || done.dropped > 0 || done.status !== "exited";
    const note = cut ? `Only the first ${Math.min(maxPaths, fitting.length)} are shown. Narrow the pattern or give a path.` : undefined;
    return { status: "ok", content: [{ type: "text", text }], ...(note !== undefined && { note }) };
  },
});

const failed = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });
