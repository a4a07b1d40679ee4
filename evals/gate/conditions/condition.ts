/** Circumstances that must not change how a task comes out. */
export const conditions = ["network off", "clock", "locale C", "another locale", "order of files"] as const;
export type Condition = (typeof conditions)[number];

/** Seconds between the clock of this machine and the one that programs are told: 400 days and 13 hours ahead. */
const clockShiftSeconds = 400 * 86_400 + 13 * 3_600;

/** What the scripts of a disturbed task print on standard error when the disturbance could not be made there. */
export const notTried = "forge-gate: not tried:";

const preload = (
  set: string,
): string => `# Where whoever runs the work can read it; without a root of its own, where it goes with the sandbox.
so="\${FORGE_TESTS:+$here}"
so="\${so:-/tmp}/.forge-gate-$$.so"
if cc -shared -fPIC -O1 -o "$so" "$here/.forge-gate.c" -ldl 2>/dev/null; then
  chmod 644 "$so"
  export LD_PRELOAD="$so" ${set}
else
  echo "${notTried} there is no C compiler for the C library of GNU" >&2
fi`;

/**
 * Shell, put before the solution and before the verifier; `$here` is the folder with `.forge-gate.c`. What a disturbance does not reach: programs
 * that ask the kernel without the C library (statically linked ones), times of files, and the shared library's own glob(3) and scandir(3).
 */
export const preludes: Readonly<Record<Exclude<Condition, "network off">, string>> = {
  clock: `if [ -e /usr/share/zoneinfo/Pacific/Kiritimati ]; then TZ=Pacific/Kiritimati; else TZ='<+14>-14'; fi
export TZ
${preload(`FORGE_GATE_SHIFT=${clockShiftSeconds}`)}`,
  "locale C": "export LC_ALL=C LANG=C",
  "another locale": `other=$(locale -a 2>/dev/null | grep -Eiv '^(C|POSIX)([._]|$)' | head -n 1)
[ -n "$other" ] || echo "${notTried} the image has no locale but C and C.UTF-8" >&2
export LC_ALL="\${other:-C.UTF-8}" LANG="\${other:-C.UTF-8}"`,
  "order of files": preload("FORGE_GATE_REVERSE=1"),
};
