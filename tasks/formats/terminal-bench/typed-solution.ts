import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { TerminalCommand } from "../../task.ts";

/** What tmux, and the format's own runner, take for a press of Enter. */
const enterKeys: ReadonlySet<string> = new Set(["Enter", "C-m", "KPEnter", "C-j", "^M", "^J"]);
const breaks = /[\r\n]+$/;
const presses = (key: string): boolean => enterKeys.has(key) || breaks.test(key);

const begin = `if ! command -v tmux >/dev/null 2>&1; then
  echo "This solution is typed into a terminal, and the image has no tmux to do so; install tmux in it, as the format's own runner asks for too." >&2
  exit 1
fi
tmux new-session -x 160 -y 40 -d -s agent \\; set-option -t agent history-limit 50000 || exit 1
late() {
  echo "What was typed last had not ended after $1 s; the terminal then:" >&2
  tmux capture-pane -p -t agent >&2
  exit 1
}
`;

/**
 * A bash script that types a solution into a terminal, key by key as the format's own runner does: by `tmux send-keys`, so that a command that is the name of a
 * key (`C-c`, `Escape`) is that key. A command with `block` is followed in its own line by a signal, and waited for at most `maxTimeoutMs`, after
 * which the script ends with 1; where it presses no Enter there is nothing to wait for, and it is typed like one without `block`.
 * The terminal is 160 × 40, and stays when the script ends, with what runs in it.
 */
export function typedSolution(commands: readonly TerminalCommand[]): string {
  return begin + commands.map(typed).join("");
}

function typed({ command, appendEnter, block, minTimeoutMs, maxTimeoutMs }: TerminalCommand): string {
  const keys = appendEnter ? [command, "Enter"] : [command];
  if (!block || !presses(keys.at(-1) ?? "")) return `${send(keys)}\n${minTimeoutMs > 0 ? `sleep ${minTimeoutMs / 1000}\n` : ""}`;
  const seconds = maxTimeoutMs / 1000;
  return `${send([...withoutEnter(keys), "; tmux wait -S done", "Enter"])}\ntimeout ${seconds}s tmux wait done || late ${seconds}\n`;
}

const send = (keys: readonly string[]): string => `tmux send-keys -t agent ${keys.map(quote).join(" ")}`;

/** Enter comes after the signal instead. */
function withoutEnter(keys: readonly string[]): readonly string[] {
  const last = keys.at(-1);
  if (last === undefined || !presses(last)) return keys;
  const rest = enterKeys.has(last) ? "" : last.replace(breaks, "");
  return rest === "" ? withoutEnter(keys.slice(0, -1)) : [...keys.slice(0, -1), rest];
}
