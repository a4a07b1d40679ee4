import type { MachineSize } from "./small-machine.ts";

/** Which victim shows what an attack does. */
export type Victim = "shell" | "pytest" | "given" | "timed" | "reported" | "tools";

/** Attacks that the victim `shell` would not show, each with the one that does. */
const elsewhere: Readonly<Record<string, Victim>> = {
  "fake-python3": "timed",
  "fake-pytest": "pytest",
  sitecustomize: "timed",
  "pth-file": "pytest",
  "user-site": "pytest",
  "pytest-package": "pytest",
  "pytest-plugin": "pytest",
  "conftest-in-tests": "pytest",
  "pytest-ini-at-root": "pytest",
  "stopped-clock": "timed",
  "given-tests-edited": "given",
  "stale-bytecode": "given",
  "subject-removed": "reported",
  "work-says-success": "pytest",
  "path-folder": "tools",
  "openssl-config": "tools",
  "perl-module": "tools",
  "git-template": "tools",
  "compiler-header": "tools",
  "python-archive": "tools",
  "modules-at-root": "tools",
  "set-id": "tools",
  capabilities: "tools",
  "nobody-is-root": "tools",
  "root-without-password": "tools",
  "system-writable": "tools",
};

/** Attacks on the machine, each with the small one on which it is let loose: this one must survive a runner without any bound. */
const machines: Readonly<Record<string, MachineSize>> = {
  "fork-bomb": { pids: 300 },
  "memory-filled": { memoryMb: 768 },
  "disk-filled": { diskMb: 250 },
};
/** Attacks on the network that an attacker shares with neighbours. */
export const onNetwork: ReadonlySet<string> = new Set(["neighbour-reached"]);
export const machineOf = (attack: string): MachineSize | undefined => machines[attack];

/** Attacks that look like someone outside: Forge believes it until it was so in every attempt. */
export const looksOutside: ReadonlySet<string> = new Set(["pid-1-traced"]);

/** Attacks on what a naive runner parses out of the verifier's output. */
export const parsed: ReadonlySet<string> = new Set(["work-says-success"]);

export const victimOf = (attack: string): Victim => elsewhere[attack] ?? "shell";

/** Files that the victims' solutions write, for attacks that are planted in them. */
export const workOf: Readonly<Record<Victim, readonly string[]>> = {
  shell: ["/app/out.txt"],
  pytest: ["/app/double.py"],
  given: ["/app/words.py"],
  timed: ["/app/tenth.sh"],
  reported: ["/app/answer.txt"],
  tools: ["/app/answer.sh"],
};

/**
 * Attacks of planted work but one are no part of the table: no runner can save a verifier from the work that it runs with its own rights, so they
 * are for `forge task check --attack`.
 */
export const tasksOwn: ReadonlySet<string> = new Set([
  "work-ends-verifier",
  "work-writes-reward",
  "work-edits-tests",
  "work-kills-verifier",
  "shadow-modules",
  "conftest-in-workdir",
  "git-runs-program",
]);
