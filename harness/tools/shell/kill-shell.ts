import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { statusOf, unknownShell } from "./background-shell.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import type { Tool } from "../tool.ts";

/** Milliseconds between TERM and KILL. */
const graceMs = 2_000;

const parameters = z.strictObject({ id: z.string().min(1).describe("What bash with background returned.") });

/** TERM to the shell and everything below it, KILL after two seconds to what is left. */
export const killShell = (): Tool<z.infer<typeof parameters>> => ({
  name: "kill_shell",
  description: "End a background command and everything it started.",
  parameters,
  readOnly: false,
  async run({ id }, context) {
    const shell = context.memory.shells.get(id);
    if (!shell) return unknownShell(id, context);
    if (shell.ended) return { status: "ok", content: [], note: `${id} had ended before: ${statusOf(shell)}.` };
    const { sandbox, signal } = context;
    const asked = await sandbox.exec(terminate(shell.pidFile), { timeoutMs: 10_000, signal });
    const pids = new TextDecoder()
      .decode(asked.stdout)
      .trim()
      .split(/\s+/)
      .filter((pid) => /^\d+$/.test(pid));
    const timer = new AbortController();
    await Promise.race([shell.done, sleep(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    const gentle = shell.ended;
    // Also where the shell has gone: a child of it may go on. `kill` then ends what hid from the walk over the processes.
    if (pids.length > 0) await sandbox.exec(`kill -KILL ${pids.join(" ")} 2>/dev/null; true`, { timeoutMs: 10_000, signal });
    shell.kill();
    await shell.done;
    shell.told = true;
    return {
      status: "ok",
      content: [],
      note: `${id} was ended${gentle ? "" : " by KILL, since it did not heed TERM"}. What it printed last: bash_output.`,
    };
  },
});

/** Sends TERM to the process and its descendants, also those in sessions of their own, and prints their ids. Reads /proc, which every Linux has. */
function terminate(pidFile: string): string {
  return `
all=$(cat ${quote(pidFile)}) || exit 0
new=$all
while [ -n "$new" ]; do
  found=
  for stat in /proc/[0-9]*/stat; do
    line=
    { read -r line <"$stat"; } 2>/dev/null || continue
    pid=\${line%% *}
    rest=\${line##*) }
    set -- $rest
    for parent in $new; do [ "$2" = "$parent" ] && found="$found $pid"; done
  done
  new=$found
  all="$all $found"
done
kill -TERM $all 2>/dev/null
echo $all
`;
}
