/** Milliseconds: the likely value and the range in which it lies in about four of five cases. */
export interface TimeLeft {
  readonly likelyMs: number;
  readonly lowMs: number;
  readonly highMs: number;
}

export interface TimeLeftInput {
  /** Milliseconds of the trials that ended, by task. */
  readonly ended: ReadonlyMap<string, readonly number[]>;
  /** Running trials: their task and how long they have run, milliseconds. */
  readonly running: readonly { readonly task: string; readonly elapsedMs: number }[];
  /** Trials that have not ended, running ones included; and how many each task has in all. */
  readonly left: number;
  readonly trialsPerTask: number;
  /** Trials at a time. */
  readonly slots: number;
}

/** Two-sided 80 % of a normal distribution. */
const z = 1.2816;
/** Before this many trials have ended, any number would be a guess. */
const fewest = 3;

/**
 * Work that is left, by the slots that share it. Trials of one task resemble each other, so a task that was seen is expected to go on as it did, and one
 * that was not is drawn from the tasks that were: their spread, and how few they are, is the uncertainty. undefined while too little is known.
 */
export function timeLeft({ ended, running, left, trialsPerTask, slots }: TimeLeftInput): TimeLeft | undefined {
  const durations = [...ended.values()].flat();
  if (durations.length < fewest || left <= 0) return undefined;
  const means = new Map([...ended].map(([task, own]) => [task, mean(own)]));
  const overall = mean([...means.values()]);
  const between = means.size > 1 ? variance([...means.values()]) : variance(durations);
  const within = pooledWithin(ended);
  const expected = (task: string): number => means.get(task) ?? overall;

  let work = 0;
  let seen = 0;
  for (const [task, own] of ended) {
    const more = Math.min(Math.max(0, trialsPerTask - own.length), left - seen);
    seen += more;
    work += more * expected(task);
  }
  const unseen = left - seen;
  work += unseen * overall;
  let longest = 0;
  for (const { task, elapsedMs } of running) {
    work -= Math.min(elapsedMs, expected(task));
    longest = Math.max(longest, expected(task) - elapsedMs);
  }
  const ofUnseen = unseen * trialsPerTask * between + unseen ** 2 * (between / means.size);
  const spread = Math.sqrt(left * within + ofUnseen);
  const atOnce = Math.max(1, Math.min(slots, left));
  const at = (ms: number): number => Math.max(ms / atOnce, longest, 0);
  return { likelyMs: at(work), lowMs: at(work - z * spread), highMs: at(work + z * spread) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

/** Variance of trials around their own task's mean. */
function pooledWithin(ended: ReadonlyMap<string, readonly number[]>): number {
  let squares = 0;
  let degrees = 0;
  for (const own of ended.values()) {
    squares += variance(own) * (own.length - 1);
    degrees += own.length - 1;
  }
  return degrees > 0 ? squares / degrees : 0;
}
