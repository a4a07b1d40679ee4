import type { Sandbox } from "../../sandbox/sandbox.ts";

const mostNamed = 10;
const patienceMs = 10_000;

/** Whatever a call of this sandbox started carries its mark, `FORGE_CALL=<sandbox><call>.`, in its environment; what clears that is not seen. */
const look = String.raw`
[ -n "$FORGE_CALL" ] || exit 0
own=$FORGE_CALL sandbox=${"$"}{FORGE_CALL%"${"$"}{FORGE_CALL##*-}"}
grep -lsaF -e "FORGE_CALL=$sandbox" /proc/[0-9]*/environ | while IFS= read -r file; do
  grep -qsaF -e "FORGE_CALL=$own" "$file" && continue
  at=${"$"}{file%/environ}; name=
  IFS= read -r name <"$at/comm" || continue
  printf '%s %s\n' "${"$"}{at#/proc/}" "$name"
done 2>/dev/null`;

/** A line for the model with the processes that still run in the sandbox, or nothing where there are none or that cannot be seen. */
export async function runningNote(sandbox: Sandbox): Promise<string> {
  const { status, stdout } = await sandbox.exec(look, { timeoutMs: patienceMs });
  if (status !== "exited") return "";
  const found = [...new TextDecoder().decode(stdout).matchAll(/^(\d+) (.*)$/gm)].map(
    ([, pid, name = ""]) => `${pid} (${name.replace(/[^\w.:+-]/g, "?")})`, // a program names itself as it likes
  );
  if (found.length === 0) return "";
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : "";
  return `\nStill running, from other calls: ${found.slice(0, mostNamed).join(", ")}${more}.`;
}
