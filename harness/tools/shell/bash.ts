import { z } from "zod";
import { startBackground } from "./background-shell.ts";
import { runningNote } from "./still-running.ts";
import { absolutePath } from "../sandbox-path.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import type { Tool, ToolOutcome } from "../tool.ts";

const defaultMs = 120_000;
const maxMs = 600_000;

const foreground = (limitMs: number) =>
  z.strictObject({
    command: z.string().min(1).describe("The command line. Every call starts a fresh shell in the working directory."),
    workdir: z.string().min(1).optional().describe("Folder to run in instead of the working directory."),
    timeoutMs: z.int().min(1).max(limitMs).optional().describe(`Milliseconds until it is ended; default ${defaultMs}, at most ${limitMs}.`),
  });
const withBackground = (limitMs: number) =>
  foreground(limitMs).extend({
    background: z
      .boolean()
      .optional()
      .describe("Let it run on and return an id at once; read it with bash_output, end it with kill_shell."),
  });
type Args = z.infer<ReturnType<typeof withBackground>>;

/** What a set of tools makes of it. */
export interface BashOptions {
  /** Longest timeout that a call may ask for, milliseconds, where more than 600,000: scripted agents need a trial's whole time in one call. */
  readonly maxTimeoutMs?: number;
  /** False: no call may go on behind its answer, which nothing could read then. */
  readonly background?: boolean;
  /** True: a timeout says what of earlier calls still runs. */
  readonly reportsRunning?: boolean;
}

/**
 * Runs a command line: bash where the sandbox has it, else sh; stdout and stderr in the order they came.
 */
export const bash = ({ maxTimeoutMs = 0, background: offered = true, reportsRunning = false }: BashOptions = {}): Tool<Args> => ({
  name: "bash",
  description:
    "Run a command line and see its output and exit code. Nobody can type into it. Directory and variables do not last to the next call; files do. " +
    (offered ? "For what runs on (a server), use background." : "What has to run on (a server), start with & and its output in a file."),
  parameters: (offered ? withBackground : foreground)(Math.ceil(Math.max(maxMs, maxTimeoutMs))),
  readOnly: false,
  runsCommands: true,
  async run({ command, workdir, timeoutMs = defaultMs, background = false }, context) {
    const folder = workdir === undefined ? undefined : absolutePath(context.sandbox, workdir);
    const script = inOneStream(command, folder);
    if (background) {
      const shell = await startBackground(command, script, context);
      return {
        status: "ok",
        content: [],
        note: `Started in the background as ${shell.id}. Read its output with bash_output, end it with kill_shell.`,
      };
    }
    const done = await context.sandbox.exec(script, { shell: "bash", timeoutMs, signal: context.signal });
    const decoder = new TextDecoder();
    const output = decoder.decode(done.stdout) + decoder.decode(done.stderr);
    const content: ToolOutcome["content"] = output.trim() === "" ? [] : [{ type: "text", text: output }];
    const lost = done.dropped > 0 ? `\n${done.dropped} bytes in the middle of the output were too much to keep.` : "";
    const hint = { command, exitCode: done.exitCode };
    if (done.status === "timeout") {
      const note = `Ended after ${timeoutMs} ms, with everything it had started; its output until then is above. Run less at once, raise timeoutMs (at most ${maxMs})${offered ? ", or use background" : ""}.${lost}${reportsRunning ? await runningNote(context.sandbox) : ""}`;
      return { status: "timeout", content, note, error: "timeout", hint };
    }
    if (done.status === "killed") {
      return {
        status: "error",
        content,
        note: `The command was lost: something ended its shell. Run it again in smaller steps.${lost}`,
        error: "killed",
        hint,
      };
    }
    const code = done.exitCode ?? 0;
    const note = `${output.trim() === "" ? "No output. " : ""}Exit code: ${code}${signalOf(code)}${lost}`;
    return { status: code === 0 ? "ok" : "error", content, note, hint, ...(code !== 0 && { error: "exit_code" }) };
  },
});

/** On the command's own first line, so that line numbers in its syntax errors stay right. */
function inOneStream(command: string, folder: string | undefined): string {
  return `exec 2>&1; ${folder === undefined ? "" : `cd -- ${quote(folder)} || exit 1; `}${command}`;
}

function signalOf(code: number): string {
  if (code === 137) return " (killed by signal 9; out of memory is the usual reason)";
  if (code === 139) return " (killed by signal 11, a segmentation fault)";
  return code === 127 ? " (a program was not found)" : "";
}
