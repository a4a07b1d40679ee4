import { ConfigError } from "../../errors.ts";
import { middling, type Competence } from "./competence.ts";
import { faults, isFault, type Fault } from "./faults/fault-kinds.ts";

export type Rates = Readonly<Record<Fault, number>>;

/** What a simulated model is like. */
export interface Profile {
  /** Chance of each fault in a run. */
  readonly rates: Rates;
  /** `one`: each run commits exactly one fault, drawn evenly among those that fit its task. */
  readonly draws: "each" | "one";
  /** Rates by family and level; left out: the same for all. */
  readonly competence?: Competence;
  /** `quick`: a few hundred milliseconds and small prices. `provider`: times, prices and caching as a hosted model has them. */
  readonly pace: "quick" | "provider";
  /** Tokens that fit; left out: any number. */
  readonly contextTokens?: number;
}

const rates = (some: Partial<Rates>): Rates => ({ ...(Object.fromEntries(faults.map((fault) => [fault, 0])) as Rates), ...some }); // every fault has an entry

/** With `default` about half of the runs of a task with slip and claims go wrong when nobody helps. */
const named: Readonly<Record<string, Profile>> = {
  default: {
    rates: rates({
      "skips-check": 0.18,
      "stops-early": 0.09,
      "repeats-failing-call": 0.06,
      "edits-one-file-again-and-again": 0.05,
      "prints-call": 0.06,
      "assumes-missing-tool": 0.07,
      "claims-unwritten-file": 0.08,
    }),
    draws: "each",
    pace: "quick",
  },
  careless: {
    rates: rates({
      "skips-check": 0.35,
      "stops-early": 0.18,
      "repeats-failing-call": 0.12,
      "edits-one-file-again-and-again": 0.1,
      "prints-call": 0.12,
      "assumes-missing-tool": 0.12,
      "claims-unwritten-file": 0.15,
    }),
    draws: "each",
    pace: "quick",
  },
  perfect: { rates: rates({}), draws: "each", pace: "quick" },
  varied: {
    rates: rates({
      "skips-check": 0.08,
      "stops-early": 0.05,
      "repeats-failing-call": 0.03,
      "edits-one-file-again-and-again": 0.03,
      "prints-call": 0.03,
      "assumes-missing-tool": 0.04,
      "claims-unwritten-file": 0.03,
      "ignores-failing-check": 0.04,
      "misreads-output": 0.04,
      "bad-arguments": 0.03,
      "alternates-two-calls": 0.03,
      "waits-for-ever": 0.02,
      "over-thinks": 0.03,
      "reads-too-much": 0.02,
      "cuts-reply-off": 0.03,
      "reaches-for-reward": 0.01,
      "out-of-its-depth": 0.08,
      "refuses-task": 0.01,
      "rate-limited": 0.04,
      overloaded: 0.03,
      "breaks-off": 0.02,
    }),
    draws: "each",
    competence: middling,
    pace: "provider",
    contextTokens: 128_000,
  },
  "one-fault": { rates: rates({}), draws: "one", pace: "provider", contextTokens: 32_000 },
};

/** The names of profiles; beside them, each fault's name is a profile whose every run commits that one fault. */
export const profileNames: readonly string[] = Object.keys(named);

/** Throws `ConfigError` for a name that is no profile and no fault. */
export function profileOf(name: string): Profile {
  const found = Object.hasOwn(named, name) ? named[name] : undefined;
  if (found) return found;
  if (isFault(name)) return { rates: rates({ [name]: 1 }), draws: "each", pace: "provider", contextTokens: 32_000 };
  throw new ConfigError(
    `There is no simulated model "sim/${name}"; there are ${profileNames.map((each) => `sim/${each}`).join(", ")}, and sim/<fault> for each fault of docs/simulated-model.md.`,
  );
}
