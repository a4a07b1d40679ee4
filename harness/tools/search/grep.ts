import { z } from "zod";
import { quote } from "../../sandbox/shell/quote.ts";
import { fileFacts, similarPaths } from "../files/file-facts.ts";
import { missing } from "../files/read.ts";
import { ripgrep } from "./ripgrep.ts";
import { absolutePath } from "../sandbox-path.ts";
import type { Tool, ToolOutcome } from "../tool.ts";

const defaultLines = 200;
/** Characters of one line that are shown. */
const lineChars = 500;

const parameters = z.strictObject({
  pattern: z.string().min(1).describe("Regular expression; put a backslash before characters meant as themselves."),
  path: z.string().min(1).optional().describe("File or folder; default the working directory."),
  glob: z.string().min(1).optional().describe("Only files whose name fits, such as *.ts."),
  mode: z
    .enum(["content", "files", "count"])
    .optional()
    .describe("content (default): lines with path and number; files: paths; count: matching lines a file."),
  context: z.int().min(0).max(20).optional().describe("Lines shown before and after a match, in mode content."),
  ignore_case: z.boolean().optional(),
  limit: z.int().min(1).max(2_000).optional().describe(`Lines of result; default ${defaultLines}.`),
});
type Args = z.infer<typeof parameters>;

/** Searches the text of files. Results are sorted by path. */
export const grep = (): Tool<Args> => ({
  name: "grep",
  description: "Search files for a regular expression.",
  parameters,
  readOnly: true,
  paths: ({ path = "." }) => [path],
  async run(args, { sandbox, signal }) {
    const given = args.path ?? ".";
    const path = absolutePath(sandbox, given);
    const facts = await fileFacts(sandbox, path, signal);
    if (facts.type === "missing") return missing(given, await similarPaths(sandbox, path, signal));
    const rg = await ripgrep(sandbox);
    const limit = args.limit ?? defaultLines;
    const command = rg ? withRipgrep(rg, args, given) : withGrep(args, given, facts.type === "folder");
    // The search's own exit code, since a pipeline has that of its last program; one line more than shown tells that there are more.
    const done = await sandbox.exec(`{ ${command}; echo $? >&3; } 3>&2 2>/dev/null | head -n ${limit + 1}`, { timeoutMs: 60_000, signal });
    const text = new TextDecoder().decode(done.stdout);
    const code = new TextDecoder().decode(done.stderr).trim();
    if (done.status === "timeout") return failed("timeout", "The search took more than 60 s. Give a path or a glob to narrow it.");
    if (text === "") {
      const why = code === "1" || code === "0" ? "" : await complaint(sandbox.exec(command, { timeoutMs: 60_000, signal }));
      if (why !== "") return failed("bad_pattern", `The search failed: ${why}. Correct the pattern.`);
      return { status: "ok", content: [], note: `Nothing matches ${args.pattern} in ${given}.` };
    }
    const lines = text.replace(/\n$/, "").split("\n");
    const shown = lines
      .slice(0, limit)
      .map((line) => (line.length > lineChars ? `${line.slice(0, lineChars)} [… cut]` : line).replace(/^\.\//, ""));
    const note = lines.length > limit ? `Only the first ${limit} lines are shown. Narrow the search, or raise limit.` : undefined;
    return { status: "ok", content: [{ type: "text", text: `${shown.join("\n")}\n` }], ...(note !== undefined && { note }) };
  },
});

function withRipgrep(rg: string, args: Args, path: string): string {
  const mode = { files: "--files-with-matches", count: "--count --with-filename", content: "--line-number --with-filename --no-heading" }[
    args.mode ?? "content"
  ];
  const options = [
    "--no-config --no-messages --color never --hidden --sort path --glob '!.git'",
    mode,
    args.context !== undefined && (args.mode ?? "content") === "content" ? `--context ${args.context}` : "",
    args.ignore_case ? "--ignore-case" : "",
    args.glob === undefined ? "" : `--glob ${quote(args.glob)}`,
  ];
  return `${rg} ${options.filter(Boolean).join(" ")} -e ${quote(args.pattern)} -- ${quote(path)}`;
}

/** With the options that busybox knows too. Sorted where the order of folders would show. */
function withGrep(args: Args, path: string, folder: boolean): string {
  const content = (args.mode ?? "content") === "content";
  const options = [
    "-rEH",
    args.mode === "files" ? "-l" : args.mode === "count" ? "-c" : "-nI",
    args.context !== undefined && content ? `-C ${args.context}` : "",
    args.ignore_case ? "-i" : "",
  ];
  const match = `grep ${options.filter(Boolean).join(" ")} -e ${quote(args.pattern)}`;
  const only = args.glob === undefined ? "" : `-name ${quote(args.glob.replace(/^.*\//, ""))}`;
  const files = `find ${quote(path)} \\( -name .git -o -name node_modules \\) -prune -o -type f ${only} -print | LC_ALL=C sort | tr '\\n' '\\000' | xargs -0`;
  const search = folder ? `${files} ${match}` : `${match} -- ${quote(path)}`;
  return args.mode === "count" ? `${search} | grep -v ':0$'` : search;
}

async function complaint(again: Promise<{ stderr: Uint8Array }>): Promise<string> {
  return new TextDecoder().decode((await again).stderr).trim();
}

const failed = (error: string, note: string): ToolOutcome => ({ status: "error", content: [], note, error });
