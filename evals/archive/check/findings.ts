import { ForgeError, messageOf, codeOf } from "../../../harness/errors.ts";

/** One thing that was looked at. `unchecked`: it could not be, and `says` is why. */
export interface Check {
  readonly name: string;
  readonly state: "holds" | "fails" | "unchecked";
  /** A clause for a person. */
  readonly says: string;
  /** Of `fails`: what else does not hold, the first few. */
  readonly more?: readonly string[];
}

/** Gathers what is seen of one thing at many places. */
export interface Findings {
  /** Looked at, and as it should be. */
  holds(): void;
  fails(says: string): void;
  /** Could not be looked at; the same reason is told once, with how often. */
  unchecked(why: string): void;
  /** Looks: what is thrown is a finding. Errors that are not of the data (aborted) pass. */
  look(where: string, act: () => Promise<void> | void): Promise<void>;
  /** `holds`: the clause where nothing failed, from the number of places. */
  checks(holds: (places: number) => string): Check[];
}

/** More than this says no more. */
const told = 5;

export function createFindings(name: string, signal?: AbortSignal): Findings {
  const failures: string[] = [];
  const reasons = new Map<string, number>();
  let good = 0;
  let bad = 0;
  const fails = (says: string): void => {
    bad += 1;
    if (failures.length < told) failures.push(says);
  };
  return {
    holds: () => void (good += 1),
    fails,
    unchecked: (why) => void reasons.set(why, (reasons.get(why) ?? 0) + 1),
    async look(where, act) {
      try {
        await act();
      } catch (error) {
        signal?.throwIfAborted();
        if (isMachineTrouble(error)) throw error;
        fails(error instanceof ForgeError ? messageOf(error) : `${where}: ${messageOf(error)}`);
      }
    },
    checks(holds) {
      const [first, ...more] = failures;
      const rest = [...reasons].map(([why, times]): Check => ({
        name,
        state: "unchecked",
        says: times === 1 ? why : `${why} (${times} times)`,
      }));
      if (first === undefined) return [...(good > 0 ? [{ name, state: "holds" as const, says: holds(good) }] : []), ...rest];
      const beyond = bad > failures.length ? [`and ${bad - failures.length} more`] : [];
      return [{ name, state: "fails", says: first, ...(bad > 1 ? { more: [...more, ...beyond] } : {}) }, ...rest];
    },
  };
}

const codes = new Set(["ENOSPC", "EDQUOT", "EACCES", "EMFILE", "ENFILE", "EIO", "EROFS"]);

/** Whether an error is this machine's own trouble, and so no finding about an archive. */
export const isMachineTrouble = (error: unknown): boolean => codes.has(codeOf(error) ?? "");
