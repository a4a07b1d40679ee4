import type { Sandbox } from "../sandbox/sandbox.ts";
import { quote } from "../sandbox/shell/quote.ts";

/**
 * For each path: links resolved in what exists of it, and the rest put behind. A dangling link is resolved to where it points, because a write
 * would create that. `-P` and `readlink -f` are in every userland that has a shell worth the name, busybox included.
 */
const script = `
for p in "$@"; do
  rest=
  while [ ! -e "$p" ] && [ ! -L "$p" ]; do
    rest="/\${p##*/}$rest"
    p=\${p%/*}
    [ -n "$p" ] || p=/
  done
  real=$(readlink -f -- "$p" && echo .) || exit 3
  real=\${real%??}
  [ "$real" = / ] && [ -n "$rest" ] && real=
  printf '%s\\0' "$real$rest"
done
`;

/** Real paths inside the sandbox of absolute paths, in order; undefined when one could not be resolved (callers fail closed). */
export async function resolveLinks(
  sandbox: Sandbox,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const words = paths.map(quote).join(" ");
  if (paths.some((path) => path.includes("\0") || !path.startsWith("/"))) return undefined;
  const done = await sandbox.exec(`set -- ${words}\n${script}`, { cwd: "/", timeoutMs: 30_000, signal });
  if (done.status !== "exited" || done.exitCode !== 0) return undefined;
  const real = new TextDecoder().decode(done.stdout).split("\0").slice(0, -1);
  return real.length === paths.length && real.every((path) => path.startsWith("/")) ? real : undefined;
}
