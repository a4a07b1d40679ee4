import { capital, placeBets, startBets, type Bets } from "./e-process.ts";

/** What one task says of two arms, or a family: differences B − A of its mean scores in [−1, 1], by what trials without a score count. */
export interface TaskPair {
  /** That have a score in both, of a family; left out: one. */
  readonly tasks?: number;
  /** Left out; null where an arm has no score then. */
  readonly excluded: number | null;
  /** As failures. */
  readonly failed: number;
  /** For A: as passes of A and failures of B; and for B. */
  readonly forA: number;
  readonly forB: number;
}

export interface PairDecision {
  /** Index of the comparison. */
  readonly comparison: number;
  /** 1: B is better; −1: A is. */
  readonly sign: 1 | -1;
  /** The smallest e-value of the readings that count, and what it had to exceed. */
  readonly eValue: number;
  readonly threshold: number;
}

/** Several comparisons that are looked at after every task. */
export interface Follower {
  /** Bets on the next task of every comparison that is open, and answers what that decides. A comparison without an entry has nothing to say of it. */
  look(seen: readonly (TaskPair | undefined)[]): readonly PairDecision[];
  isOpen(comparison: number): boolean;
}

export interface FollowRule {
  /** Of all comparisons together. */
  readonly alpha: number;
  /** Nothing is decided on fewer tasks; nor on fewer families, where whole ones are looked at. */
  readonly firstLook: number;
  readonly firstFamilies?: number | undefined;
}

interface Game {
  readonly bets: Bets;
  sum: number;
}
const readings = ["excluded", "failed", "forA", "forB"] as const;
type Reading = (typeof readings)[number];

/**
 * Testing by betting on one task after the other, for several comparisons at once. A comparison is decided when its e-value exceeds r/α, with r the
 * comparisons that are still open: before the first false decision all true hypotheses are among them, so whatever is looked at and whenever it is
 * stopped, the chance of any false decision is at most Σ α/r ≤ α. A decision must hold in each reading of trials without a score, to the same side.
 * The tasks must come in an order that was drawn without knowing their outcomes; tasks of one family come as one, with their mean.
 * Sources: `e-process.ts`; Holm (1979); Vovk and Wang, "E-values: calibration, combination and applications", Ann. Stat. 49 (2021).
 */
export function followPairs(comparisons: number, { alpha, firstLook, firstFamilies = 1 }: FollowRule): Follower {
  const games = Array.from({ length: comparisons }, newComparison);
  const open = new Set(games.keys());
  return {
    isOpen: (comparison) => open.has(comparison),
    look(seen) {
      for (const i of open) {
        const task = seen[i];
        if (task) games[i]?.add(task);
      }
      const decisions: PairDecision[] = [];
      for (;;) {
        const threshold = open.size / alpha;
        const ready = [...open].flatMap((comparison) => {
          const game = games[comparison];
          return game && game.tasks >= firstLook && game.units >= firstFamilies ? [{ comparison, threshold, ...game.evidence() }] : [];
        });
        const best = ready.reduce((most, one) => (one.eValue > most.eValue ? one : most), {
          comparison: -1,
          sign: 1 as 1 | -1,
          eValue: 0,
          threshold,
        });
        if (best.eValue <= threshold) return decisions;
        open.delete(best.comparison);
        decisions.push(best);
      }
    },
  };
}

function newComparison() {
  const start = (): Game => ({ bets: startBets(0), sum: 0 });
  const all: Record<Reading, Game> = { excluded: start(), failed: start(), forA: start(), forB: start() };
  let same = true; // as long as no trial is lost the readings are one, and only the first is kept
  let [tasks, units] = [0, 0];
  const place = (game: Game, difference: number): void => {
    placeBets(game.bets, difference);
    game.sum += difference;
  };
  return {
    get tasks() {
      return tasks;
    },
    get units() {
      return units;
    },
    add(task: TaskPair): void {
      if (same && readings.some((reading) => task[reading] !== task.excluded)) {
        same = false;
        for (const reading of readings.slice(1))
          all[reading] = { bets: { ...all.excluded.bets, logCapital: all.excluded.bets.logCapital.slice() }, sum: all.excluded.sum };
      }
      if (task.excluded !== null) {
        tasks += task.tasks ?? 1;
        units++;
      }
      for (const reading of same ? readings.slice(0, 1) : readings) {
        const difference = task[reading];
        if (difference !== null) place(all[reading], difference);
      }
    },
    /** The side that all readings of a claim are on, and the least that one of them says for it; e-value 0 where they disagree. */
    evidence(): { sign: 1 | -1; eValue: number } {
      const sign = all.excluded.sum < 0 ? -1 : 1;
      const counted = same ? [all.excluded] : [all.excluded, all.failed, sign > 0 ? all.forA : all.forB];
      if (counted.some(({ sum }) => sum * sign <= 0)) return { sign, eValue: 0 };
      return { sign, eValue: Math.min(...counted.map(({ bets }) => capital(bets))) };
    },
  };
}
