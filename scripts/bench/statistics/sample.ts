import type { Truth } from "./truth.ts";

/** What one benchmark saw: per drawn task, trials that passed and that have a score, of `repeats` each. */
export interface Sample {
  readonly tasks: number;
  readonly repeats: number;
  readonly passedA: Int32Array;
  readonly passedB: Int32Array;
  readonly scoredA: Int32Array;
  readonly scoredB: Int32Array;
  /** Repeats with a score that passed in B alone and in A alone, repeat beside repeat. */
  readonly gained: Int32Array;
  readonly lost: Int32Array;
  /** Which repeats of A passed and have a score, a bit a repeat: for another B beside the same A. */
  readonly bitsA: Int32Array;
  readonly scoreBitsA: Int32Array;
  /** Which tasks were drawn, with replacement. */
  readonly drawn: Int32Array;
}

/** What goes wrong while the trials run. */
export interface Conditions {
  /** Share of its chance that a trial has lost by the end of the job, evenly. */
  readonly drift?: number;
  /** First all trials of A, then all of B, as Forge never runs them. */
  readonly oneAfterTheOther?: boolean;
  /** Chance that a trial ends without a score. `outcome`: only of those that would have passed, or failed. `hard`: more on tasks that few pass. */
  readonly lossA?: Loss;
  readonly lossB?: Loss;
}
interface Loss {
  readonly chance: number;
  readonly of?: "passes" | "failures" | "hard";
}

export function emptySample(tasks: number, repeats: number): Sample {
  const counts = (): Int32Array => new Int32Array(tasks);
  return {
    tasks,
    repeats,
    passedA: counts(),
    passedB: counts(),
    scoredA: counts(),
    scoredB: counts(),
    gained: counts(),
    lost: counts(),
    bitsA: counts(),
    scoreBitsA: counts(),
    drawn: counts(),
  };
}

/** Runs the benchmark again into `sample`; the tasks are drawn too, unless they are to stay. Arms take turns within a task, in turned order every second repeat. */
export function drawSample(
  sample: Sample,
  truth: Truth,
  random: () => number,
  o: Conditions & { keepTasks?: boolean; keepA?: boolean } = {},
): void {
  const { tasks, repeats, drawn } = sample;
  const { drift = 0 } = o;
  const slots = 2 * tasks * repeats;
  for (let i = 0; i < tasks; i++) {
    if (o.keepTasks !== true) drawn[i] = Math.floor(random() * truth.a.length);
    const task = drawn[i] ?? 0;
    const [rateA, rateB] = [truth.a[task] ?? 0, truth.b[task] ?? 0];
    const hardness = 2 - rateA - rateB;
    let [bitsA, scoreBitsA, bitsB, scoreBitsB] = o.keepA === true ? [sample.bitsA[i] ?? 0, sample.scoreBitsA[i] ?? 0, 0, 0] : [0, 0, 0, 0];
    for (let k = 0; k < repeats; k++) {
      const pair = i * repeats + k;
      const first = 2 * pair + (k % 2);
      const slotA = o.oneAfterTheOther ? pair : first;
      const slotB = o.oneAfterTheOther ? slots / 2 + pair : 4 * pair + 1 - first;
      if (o.keepA !== true) {
        const passes = random() < rateA * (1 - (drift * slotA) / slots);
        if (!isLost(o.lossA, passes, hardness, random)) {
          scoreBitsA |= 1 << k;
          if (passes) bitsA |= 1 << k;
        }
      }
      const passes = random() < rateB * (1 - (drift * slotB) / slots);
      if (!isLost(o.lossB, passes, hardness, random)) {
        scoreBitsB |= 1 << k;
        if (passes) bitsB |= 1 << k;
      }
    }
    sample.bitsA[i] = bitsA;
    sample.scoreBitsA[i] = scoreBitsA;
    sample.passedA[i] = ones(bitsA);
    sample.scoredA[i] = ones(scoreBitsA);
    sample.passedB[i] = ones(bitsB);
    sample.scoredB[i] = ones(scoreBitsB);
    const both = scoreBitsA & scoreBitsB;
    sample.gained[i] = ones(both & bitsB & ~bitsA);
    sample.lost[i] = ones(both & bitsA & ~bitsB);
  }
}

/** How many bits are set. */
function ones(bits: number): number {
  let n = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) n++;
  return n;
}

function isLost(loss: Loss | undefined, passes: boolean, hardness: number, random: () => number): boolean {
  if (!loss) return false;
  if (loss.of === "passes" && !passes) return false;
  if (loss.of === "failures" && passes) return false;
  return random() < loss.chance * (loss.of === "hard" ? hardness : 1);
}
