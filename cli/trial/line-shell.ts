import { createInterface } from "node:readline";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";

/** Separates what a command printed from the folder it ended in. */
const mark = "\u0001forge-cwd\u0001";

interface Lines {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Commands one line at a time, for sandboxes that have no terminal of their own: each line runs in a new shell in the folder where the last one ended.
 * `exit`, Ctrl-D and Ctrl-C end it. Answers the last command's exit code.
 */
export async function lineShell(
  sandbox: Sandbox,
  signal: AbortSignal,
  io: Lines = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const lines = createInterface({ ...io, terminal: io.input === process.stdin && process.stdin.isTTY });
  lines.on("SIGINT", () => lines.close());
  signal.addEventListener("abort", () => lines.close(), { once: true });
  let cwd = sandbox.workdir;
  let code = 0;
  io.output.write("No terminal in this kind of sandbox: every line is a command of its own, variables do not stay. exit ends it.\n");
  lines.setPrompt(`${cwd} $ `);
  lines.prompt();
  for await (const line of lines) {
    if (/^\s*exit\s*$/.test(line)) break;
    if (line.trim() !== "") {
      const ran = await sandbox.exec(`cd -- ${quote(cwd)}; ${line}\ncode=$?; printf '${mark}%s' "$PWD"; exit $code`, {
        shell: "bash",
        signal,
      });
      const text = new TextDecoder().decode(ran.stdout);
      const at = text.lastIndexOf(mark);
      if (at >= 0) cwd = text.slice(at + mark.length);
      io.output.write(at >= 0 ? text.slice(0, at) : text);
      io.output.write(new TextDecoder().decode(ran.stderr));
      code = ran.exitCode ?? 1;
    }
    lines.setPrompt(`${cwd} $ `);
    lines.prompt();
  }
  lines.close();
  return code;
}
