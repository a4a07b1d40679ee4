/** Keeps a job under its cost limit, with what runs right now counted as what it may cost. All amounts are USD. */
export interface Budget {
  /** Reserves room for a trial of this configuration; false where there is none now. */
  admit(configuration: string): boolean;
  /** Returns the room and books what the attempt cost; null (unknown) books the room itself. */
  settle(configuration: string, costUsd: number | null): void;
  /** Returns the room of a trial that was not started. */
  release(configuration: string): void;
  readonly inFlight: number;
}

/** USD; null where it is not known. */
export interface TrialCost {
  readonly configuration: string;
  readonly costUsd: number | null;
}

/**
 * A trial's room is its configuration's own cost limit, else the most that one of its trials has cost so far; before the first has ended nothing is
 * known, and one runs alone.
 * @param max undefined: no limit
 * @param past trials of earlier runs of this job, with what all their attempts cost: as if they had ended in this one
 * @param limits each configuration's `limits.costUsd`
 */
export function createBudget(max: number | undefined, past: readonly TrialCost[], limits: ReadonlyMap<string, number | undefined>): Budget {
  const most = new Map<string, number>();
  const reserved = new Map<string, number>();
  let booked = 0;
  let inFlight = 0;
  const room = (configuration: string): number | undefined => limits.get(configuration) ?? most.get(configuration);
  const held = (): number => [...reserved].reduce((sum, [configuration, count]) => sum + count * (room(configuration) ?? 0), 0);
  const count = (configuration: string, by: 1 | -1): void => {
    reserved.set(configuration, (reserved.get(configuration) ?? 0) + by);
    inFlight += by;
  };
  const book = ({ configuration, costUsd }: TrialCost): void => {
    const cost = costUsd ?? room(configuration) ?? 0;
    booked += cost;
    most.set(configuration, Math.max(most.get(configuration) ?? 0, cost));
  };
  for (const isKnown of [true, false]) for (const trial of past) if ((trial.costUsd !== null) === isKnown) book(trial);
  return {
    admit(configuration) {
      const needs = room(configuration);
      const fits = max === undefined || (needs === undefined ? inFlight === 0 && booked < max : booked + held() + needs <= max);
      if (fits) count(configuration, 1);
      return fits;
    },
    settle(configuration, costUsd) {
      count(configuration, -1);
      book({ configuration, costUsd });
    },
    release: (configuration) => count(configuration, -1),
    get inFlight() {
      return inFlight;
    },
  };
}
