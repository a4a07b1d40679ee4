import { quote } from "../../sandbox/shell/quote.ts";
import type { BackgroundShell, ToolRunContext } from "../tool.ts";

/** The longest timer there is, 24 days: a background shell ends by itself, by `kill_shell`, or with the run. */
const noTimeoutMs = 2_147_483_647;

/**
 * Starts a command whose end nobody waits for: an `exec` of the sandbox that has not returned. So the sandbox's own rule for an abort holds
 * for it too, and nothing it started survives its end. Its process id and output are files in the scratch folder.
 */
export async function startBackground(command: string, script: string, context: ToolRunContext): Promise<BackgroundShell> {
  const { sandbox, memory, signal } = context;
  const id = `shell-${memory.shells.size + 1}`;
  const folder = await context.scratch();
  const [log, pidFile] = [`${folder}/${id}.log`, `${folder}/${id}.pid`];
  const end = new AbortController();
  const stop = (): void => end.abort(new Error("background shell ended"));
  signal.addEventListener("abort", stop, { once: true });

  let ended: BackgroundShell["ended"];
  const running = sandbox.exec(`echo $$ >${quote(pidFile)}; exec >${quote(log)} </dev/null; ${script}`, {
    shell: "bash",
    timeoutMs: noTimeoutMs,
    signal: end.signal,
  });
  const done = running
    .then(
      (result) => (ended = { exitCode: result.exitCode }),
      () => (ended = { exitCode: null }), // aborted, or the sandbox is gone: either way it no longer runs
    )
    .then(() => signal.removeEventListener("abort", stop));

  const shell: BackgroundShell = {
    id,
    command,
    log,
    pidFile,
    offset: 0,
    get ended() {
      return ended;
    },
    told: false,
    done,
    kill: stop,
  };
  memory.shells.set(id, shell);
  return shell;
}

/** `exit code 0`, `still running`, … */
export function statusOf(shell: BackgroundShell): string {
  if (!shell.ended) return "still running";
  return shell.ended.exitCode === null ? "ended" : `exited with code ${shell.ended.exitCode}`;
}

export function unknownShell(id: string, context: ToolRunContext): { status: "error"; content: []; note: string; error: string } {
  const ids = [...context.memory.shells.keys()];
  const known = ids.length === 0 ? "None was started: call bash with background first." : `The ids are: ${ids.join(", ")}.`;
  return { status: "error", content: [], note: `There is no background shell "${id}". ${known}`, error: "not_found" };
}
