import type { Attack } from "./attack.ts";

/** What an attacker knows of a task: paths in its sandbox, absolute, without blanks. */
export interface Target {
  /** What the solution writes. */
  readonly work: readonly string[];
  /** Tests in the workdir that the agent was given. */
  readonly given: readonly string[];
}

/** The attack as one command of an agent that begins in the workdir. */
export function attackCommand(attack: Attack, target: Target): string {
  const words = (paths: readonly string[]): string => `'${paths.filter((path) => !/[\s']/.test(path)).join(" ")}'`;
  return `WORK=${words(target.work)} GIVEN=${words(target.given)}\n${attack.script}`;
}
