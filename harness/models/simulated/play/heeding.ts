import { faultKinds, type Fault, type FaultKind } from "../faults/fault-kinds.ts";

/**
 * How likely a message of the harness is heeded: `fact` when it states something about the fault at hand, `prose` when it only reminds or asks.
 * Each message ignored before halves it. `context` is the chance that a list of what is installed prevents a call of a missing program.
 */
export const heed = { fact: 0.6, prose: 0.2, context: 0.6 } as const;

/** Says of any fault that the work is not done. */
const workIsLeft =
  /\b(no such file|does not exist|not (yet )?(done|finished|there)|nothing (was|has been) (run|done|changed)|check failed)\b/i;

const factOf = (fault: Fault): RegExp | undefined => (faultKinds[fault] as FaultKind).fact; // `satisfies` keeps the narrow type of each kind

/** Whether a message states a fact about the fault. A question states none, which is what tells a checklist from a finding. */
export function statesFact(message: string, fault: Fault): boolean {
  const fact = factOf(fault);
  if (!fact) return false;
  const sentences = message.split(/(?<=[.!?:;])\s+|\n+/).filter((sentence) => !sentence.trimEnd().endsWith("?"));
  return sentences.some((sentence) => workIsLeft.test(sentence) || fact.test(sentence));
}

/** The chance that a message is heeded: at most 0.7, and less the more were ignored before it; 0 for a fault that nothing said can mend. */
export function heedChance(message: string, fault: Fault, ignored: number): number {
  if (!factOf(fault)) return 0;
  return (statesFact(message, fault) ? heed.fact : heed.prose) / 2 ** ignored;
}

/** Whether the harness has said what is installed and what is not. */
export const listsWhatIsMissing = (message: string): boolean =>
  /\bnot (installed|available|found)\b.*:|\b(absent|missing)\b.*:/i.test(message);
