import type { AnyArm } from "./arm.ts";

/** Trials of two arms that are not there, and count like those without a score. */
export interface MissingTrials {
  /** By task. */
  readonly a: ReadonlyMap<string, number>;
  readonly b: ReadonlyMap<string, number>;
  readonly counts: MissingCounts;
}

export interface MissingCounts {
  /** Trials that are missing of each arm, and that there would be with them. */
  readonly a: { readonly missing: number; readonly of: number };
  readonly b: { readonly missing: number; readonly of: number };
  /** Tasks that one arm has and the other lacks altogether without a plan that says so. */
  readonly tasks: number;
}

/** Of so many of the tasks in question an arm has the same number of repeats where that number is its own by design. */
const nearlyAll = 0.9;

/**
 * What each arm lacks. A job's lock says what was planned. Other results do not: there a trial is missing where the other arm has one more of the task,
 * unless the arm was plainly made with fewer repeats. Rows that were left out because of what they said cannot be told from rows that were never meant
 * to be, so what could be the first is read as that.
 * @param o.commonTasks the user says that tasks of one arm alone were never meant for the other
 */
export function missingTrials(a: AnyArm, b: AnyArm, o: { readonly commonTasks?: boolean | undefined } = {}): MissingTrials {
  const [ofA, ofB] = [lackedBy(a, b, o.commonTasks ?? false), lackedBy(b, a, o.commonTasks ?? false)];
  const count = (arm: AnyArm, lacked: ReadonlyMap<string, number>): MissingCounts["a"] => {
    const missing = [...lacked.values()].reduce((sum, n) => sum + n, 0);
    return { missing, of: missing + [...arm.tasks.values()].reduce((sum, trials) => sum + trials.length, 0) };
  };
  const whole = (arm: AnyArm, lacked: ReadonlyMap<string, number>): number =>
    arm.unrun ? 0 : [...lacked.keys()].filter((task) => !arm.tasks.has(task)).length;
  return { a: ofA, b: ofB, counts: { a: count(a, ofA), b: count(b, ofB), tasks: whole(a, ofA) + whole(b, ofB) } };
}

function lackedBy(arm: AnyArm, other: AnyArm, commonTasks: boolean): Map<string, number> {
  const { unrun } = arm;
  if (unrun) return new Map([...unrun].filter(([task]) => other.tasks.has(task) || other.unrun?.has(task) === true));
  const tasks: { readonly task: string; readonly own: number; readonly theirs: number }[] = [];
  for (const [task, { length: theirs }] of other.tasks) {
    const own = arm.tasks.get(task)?.length ?? 0;
    if (own > 0 || !commonTasks) tasks.push({ task, own, theirs });
  }
  const most = repeatsByDesign(tasks);
  return new Map(
    tasks.flatMap(({ task, own, theirs }): [string, number][] => {
      const missing = Math.min(theirs, most) - own;
      return missing > 0 ? [[task, missing]] : [];
    }),
  );
}

/**
 * The number of repeats that an arm was made with, where it is lower than the other's and plain to see: nearly every task of which the other arm has more
 * than that many has exactly that many. Infinite where there is none: numbers that go up and down beside an even other arm are no design.
 */
function repeatsByDesign(tasks: readonly { readonly own: number; readonly theirs: number }[]): number {
  const counts = new Map<number, number>();
  for (const { own, theirs } of tasks) if (own > 0 && own < theirs) counts.set(own, (counts.get(own) ?? 0) + 1);
  for (const [repeats, exactly] of counts) {
    let more = 0;
    for (const { theirs } of tasks) if (theirs > repeats) more++;
    if (exactly >= nearlyAll * more) return repeats;
  }
  return Number.POSITIVE_INFINITY;
}
