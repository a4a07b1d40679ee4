import { ConfigError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { Task } from "../../../tasks/task.ts";

/**
 * Ends what runs in a sandbox but for the task's services, again and again until nobody else is left: a name is a program's file name, or the
 * beginning of a command line. What calls itself by a service's name stays: in place, nobody can tell it from the service.
 */
export async function endOthers(task: Task, sandbox: Sandbox): Promise<void> {
  const services = task.forge?.services ?? [];
  if (services.length === 0)
    throw new ConfigError(
      `${task.folder}/task.toml: metadata.forge.verify: "live" verifies beside the task's services; name them as metadata.forge.services = ["nginx"], or choose another way to verify.`,
    );
  const kept = services.flatMap((name) => [`${quote(name)}|${quote(`${name} `)}*|*/${quote(name)}|*/${quote(`${name} `)}*`]).join("|");
  const script = `PATH=/usr/sbin:/usr/bin:/sbin:/bin; export PATH; unset LD_PRELOAD LD_LIBRARY_PATH
round=0
while [ $round -lt 50 ]; do
  found=0
  for p in /proc/[0-9]*; do
    pid=\${p#/proc/}
    [ "$pid" = 1 ] || [ "$pid" = $$ ] || [ "$pid" = $PPID ] && continue
    line=$(tr '\\0' ' ' < $p/cmdline 2>/dev/null) || continue
    [ -n "$line" ] || continue
    case "\${line% }" in ${kept}) continue ;; "sleep 3600") case "$(readlink $p/exe)" in */sleep|*/busybox|*/coreutils) continue ;; esac ;;
      *forge-worker) grep -q '^PPid:[[:space:]]*0$' $p/status 2>/dev/null && continue ;; esac
    kill -9 "$pid" 2>/dev/null && found=1
  done
  [ $found = 0 ] && exit 0
  round=$((round + 1))
done
exit 1`;
  await sandbox.exec(script, { cwd: "/", timeoutMs: 30_000 });
}
