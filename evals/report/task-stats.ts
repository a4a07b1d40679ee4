import { fisher } from "../statistics/fisher.ts";
import { mean } from "../statistics/moments.ts";
import type { TrialRecord } from "../trial/trial-record.ts";

/** How one task went with one arm: a configuration, agent and model in one mode and one kind of sandbox. */
export interface ArmStats {
  readonly arm: string;
  readonly trials: number;
  readonly scored: number;
  readonly passed: number;
  /** Passed of scored; null where none is scored. */
  readonly rate: number | null;
  /** Means over scored trials. */
  readonly turns: number | null;
  readonly outputTokens: number | null;
  readonly simulated: boolean;
}

/** How a task went in past trials, and how much it says. */
export interface TaskStats {
  readonly task: string;
  readonly digest: string;
  readonly family: string | null;
  readonly level: string | null;
  readonly arms: readonly ArmStats[];
  readonly scored: number;
  readonly passed: number;
  /** Mean of the arms' rates, so that an arm with more repeats has no more weight. */
  readonly rate: number | null;
  /** 4·p·(1 − p) of that rate, from 0 (always or never passed: a trial says nothing) to 1 (a trial says most). */
  readonly information: number | null;
  /** Best arm's rate minus the worst's; null with fewer than two arms. */
  readonly spread: number | null;
  /**
   * Item-rest correlation: of the arms' rates on this task with their rates on the other tasks, −1 … 1. Null with fewer than three arms, or where either
   * side does not vary. Below 0 the task prefers weak arms: look at it.
   */
  readonly discrimination: number | null;
  /**
   * How often arms that are alike would differ as much: the smallest p of Fisher's exact test between two arms, times the number of pairs. Null with fewer
   * than two arms.
   */
  readonly chance: number | null;
  /**
   * What that comes to: `unscored`; `never` and `always` passed; `against`: it prefers weak arms; `tells`: arms differ on it by more than chance does
   * (`chance` below 0.05); `unclear`: they differ by no more; else `mixed`.
   */
  readonly verdict: "unscored" | "never" | "always" | "against" | "tells" | "unclear" | "mixed";
}

/** Tasks with one name and different digests are different tasks. Trials without a score are counted and enter no rate. */
export function taskStats(records: readonly TrialRecord[]): TaskStats[] {
  const byTask = grouped(records, (record) => JSON.stringify([record.task, record.taskDigest]));
  const shares = new Map([...byTask].map(([key, some]) => [key, ratesOf(some)] as const));
  return [...byTask]
    .map(([key, some]) => statsOf(some, armRates(shares, key), shares.get(key) ?? new Map()))
    .toSorted((a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : a.digest < b.digest ? -1 : 1));
}

type Rates = ReadonlyMap<string, number>;

function statsOf(records: readonly TrialRecord[], rest: Rates, own: Rates): TaskStats {
  const [first] = records;
  const arms = [...grouped(records, armOf)].map(([arm, some]) => armStats(arm, some));
  const rates = [...own.values()];
  const rate = meanOrNull(rates);
  const information = rate === null ? null : 4 * rate * (1 - rate);
  const spread = rates.length < 2 ? null : Math.max(...rates) - Math.min(...rates);
  const chance = chanceOf(arms.filter(({ scored }) => scored > 0));
  const shared = [...own].filter(([arm]) => rest.has(arm));
  const discrimination =
    shared.length < 3
      ? null
      : correlation(
          shared.map(([, value]) => value),
          shared.map(([arm]) => rest.get(arm) ?? 0),
        );
  return {
    task: first?.task ?? "",
    digest: first?.taskDigest ?? "",
    family: first?.family ?? null,
    level: first?.difficulty ?? null,
    arms,
    scored: sum(arms.map(({ scored }) => scored)),
    passed: sum(arms.map(({ passed }) => passed)),
    rate,
    information,
    spread,
    discrimination,
    chance,
    verdict: verdictOf({ rate, spread, discrimination, chance }),
  };
}

/** As in a comparison. */
const alpha = 0.05;

type Figures = Pick<TaskStats, "rate" | "spread" | "discrimination" | "chance">;

function verdictOf({ rate, spread, discrimination, chance }: Figures): TaskStats["verdict"] {
  if (rate === null) return "unscored";
  if (rate === 0) return "never";
  if (rate === 1) return "always";
  if (discrimination !== null && discrimination < 0) return "against";
  if ((spread ?? 0) === 0) return "mixed";
  return (chance ?? 1) < alpha ? "tells" : "unclear";
}

/** Holm's adjustment of the smallest p, by which alone arms are told apart. */
function chanceOf(arms: readonly ArmStats[]): number | null {
  if (arms.length < 2) return null;
  const pairs = arms.flatMap((one, i) => arms.slice(i + 1).map((other) => fisher([one.passed, one.scored], [other.passed, other.scored])));
  return Math.min(1, Math.min(...pairs) * pairs.length);
}

function armStats(arm: string, records: readonly TrialRecord[]): ArmStats {
  const scored = records.filter(({ passed }) => passed !== null);
  const passed = scored.filter((record) => record.passed === true).length;
  return {
    arm,
    trials: records.length,
    scored: scored.length,
    passed,
    rate: scored.length === 0 ? null : passed / scored.length,
    turns: meanOrNull(scored.map(({ turns }) => turns)),
    outputTokens: meanOrNull(scored.map(({ tokens }) => tokens.out)),
    simulated: records.some(({ simulated }) => simulated),
  };
}

/** Modes, sandboxes, models and harnesses never mix; what differs is in the name. */
function armOf({ configuration, agent, modelIdentity: { provider, name }, mode, sandbox, harnessHash }: TrialRecord): string {
  const who = agent === "configured" ? `${configuration} ${provider}/${name}` : agent;
  return `${who} ${mode} ${sandbox} ${harnessHash.slice(0, 8)}`;
}

function ratesOf(records: readonly TrialRecord[]): Rates {
  const arms = [...grouped(records, armOf)].map(([arm, some]) => [arm, armStats(arm, some).rate] as const);
  return new Map(arms.flatMap(([arm, rate]) => (rate === null ? [] : [[arm, rate]])));
}

/** Each arm's mean rate over the other tasks. */
function armRates(shares: ReadonlyMap<string, Rates>, but: string): Rates {
  const values = new Map<string, number[]>();
  for (const [key, rates] of shares) if (key !== but) for (const [arm, rate] of rates) push(values, arm, rate);
  return new Map([...values].map(([arm, rates]) => [arm, mean(rates)]));
}

/** Pearson's; null where one side does not vary. */
function correlation(xs: readonly number[], ys: readonly number[]): number | null {
  const [x, y] = [meanOrNull(xs) ?? 0, meanOrNull(ys) ?? 0];
  const products = (as: readonly number[], a: number, bs: readonly number[], b: number): number =>
    sum(as.map((value, i) => (value - a) * ((bs[i] ?? b) - b)));
  const scale = Math.sqrt(products(xs, x, xs, x) * products(ys, y, ys, y));
  return scale < 1e-12 ? null : Math.max(-1, Math.min(1, products(xs, x, ys, y) / scale));
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) push(groups, key(item), item);
  return groups;
}

/** Into the list of its key, in place: a list copied for every member would take the square of their number. */
function push<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : mean(values));
