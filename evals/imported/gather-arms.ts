import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { ConfigError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { AnyArm, AnyTrial, MeasuredTrial } from "../arms/arm.ts";
import type { ImportedTrial } from "./imported-trial.ts";

/** Stands for the model of an arm whose results do not name it. */
export const modelNotTold = "model not recorded";

/** The arms of one place: of runs that were named together, so that the same agent with the same model in two of them is one arm. */
export interface GatheredArms {
  readonly arms: readonly AnyArm[];
  /** By task: the digests of its contents that were seen. */
  readonly digests: ReadonlyMap<string, ReadonlySet<string>>;
  readonly trials: number;
  readonly unscored: number;
  /** Some score is neither 0 nor 1. */
  readonly fractions: boolean;
}

interface Cell {
  readonly task: string;
  readonly trials: AnyTrial[];
  /** By what was given as the repeat; only made where there are many, most cells have a handful. */
  readonly keys: (string | number)[];
  known?: Set<string | number>;
}

interface Growing {
  readonly arm: Omit<AnyArm, "name" | "tasks" | "countedOnce">;
  readonly cells: Map<string, Cell>;
  countedOnce: number;
}

const noTokens: MeasuredTrial["tokens"] = { in: null, out: null, cached: null };
/** So many keys are looked through one by one before a set is worth its memory. */
const fewKeys = 16;

/**
 * Sorts trials into arms as they come; a million of them fit, as little is kept of each. A trial that comes twice with the same result counts once. The order
 * in which they come changes nothing: arms and tasks stand by their names.
 * @param place as the user named it
 * @throws ConfigError for one trial with two results, for a score that is no number from 0 to 1
 */
export function gatherArms(place: string, measuredBy: string): { add: (trial: ImportedTrial) => void; done: () => GatheredArms } {
  const growing = new Map<string, Growing>();
  const digests = new Map<string, Set<string>>();
  const families = new Map<string, string | null>();
  const seen = { trials: 0, unscored: 0, fractions: false };
  const names = new Set<string>();

  /** Of arms without an identity, by name and model: rows of a table come by the hundred thousand, and a key for each takes longer than the rest. */
  const plain = new Map<string, Map<string | null, Growing>>();
  const armOf = (trial: ImportedTrial): Growing => {
    const { arm, model, identity } = trial;
    if (identity !== null && identity !== undefined) return keyedArm(trial);
    let models = plain.get(arm);
    if (!models) plain.set(arm, (models = new Map()));
    let found = models.get(model);
    if (!found) models.set(model, (found = keyedArm(trial)));
    return found;
  };
  const keyedArm = ({ arm, model, identity }: ImportedTrial): Growing => {
    const key = canonicalJson([arm, model, identity ?? null]);
    const known = growing.get(key);
    if (known) return known;
    const made: Growing = {
      arm: {
        configuration: arm,
        jobs: [place],
        harnessHash: sha256(canonicalJson(identity === null || identity === undefined ? [place, arm] : [arm, identity])),
        model: model ?? modelNotTold,
        modelHash: sha256(model ?? `${place} ${arm}`),
        forgeVersion: "",
        measuredBy,
        simulated: false,
        circumstances: null,
      },
      cells: new Map(),
      countedOnce: 0,
    };
    growing.set(key, made);
    return made;
  };

  const add = (trial: ImportedTrial): void => {
    const { score, task } = trial;
    if (score !== null && !Number.isFinite(score))
      throw new ConfigError(
        `${trial.place}: the score of task ${task} is ${score}, which is no result; leave it out where a trial has none.`,
      );
    if (score !== null && (score < 0 || score > 1))
      throw new ConfigError(
        `${trial.place}: the score of task ${task} is ${score}, and scores are from 0 to 1; divide them by the most that a task can give, in a table of task, arm, repeat and score.`,
      );
    sameFamily(trial);
    const arm = armOf(trial);
    let cell = arm.cells.get(task);
    if (!cell) arm.cells.set(task, (cell = { task, trials: [], keys: [] }));
    const before = trial.repeat === null ? undefined : find(cell, trial.repeat);
    if (before) {
      if (before.record.score !== score)
        throw new ConfigError(
          `${trial.place}: task ${task}, ${arm.arm.configuration}, repeat ${trial.repeat} has the score ${told(score)}, and before it had ${told(before.record.score)}; number the repeats, or keep the one that counts.`,
        );
      arm.countedOnce++;
      return;
    }
    cell.trials.push({ record: recordOf(trial, cell.trials.length + 1), folder: place });
    if (trial.repeat !== null) remember(cell, trial.repeat);
    seen.trials++;
    if (score === null) seen.unscored++;
    else seen.fractions ||= score !== 0 && score !== 1;
    if (trial.taskDigest !== null && trial.taskDigest !== undefined) {
      const some = digests.get(task);
      if (some) some.add(trial.taskDigest);
      else digests.set(task, new Set([trial.taskDigest]));
    }
  };

  /** A task's family decides what is independent of what, so it has one. */
  const sameFamily = ({ task, family = null, place: where }: ImportedTrial): void => {
    const before = families.get(task);
    if (before === undefined) families.set(task, family);
    else if (before !== family)
      throw new ConfigError(
        `${where}: task ${task} is of ${family === null ? "no family" : `family ${family}`}, and before it was of ${before === null ? "none" : before}; give all rows of a task the same.`,
      );
  };

  const done = (): GatheredArms => ({
    ...seen,
    digests,
    arms: inOrder(growing).map(({ arm, cells, countedOnce }) => ({
      ...arm,
      name: freeName(names, [arm.configuration, arm.model === modelNotTold ? undefined : `${arm.configuration} ${arm.model}`]),
      countedOnce,
      tasks: new Map(inOrder(cells).map((cell) => [cell.task, cell.trials])),
    })),
  });
  return { add, done };
}

const inOrder = <T>(named: ReadonlyMap<string, T>): T[] =>
  [...named].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);

/** The first of the names that is free, else the last with a number. */
export function freeName(taken: Set<string>, names: readonly (string | undefined)[]): string {
  const given = names.filter((name) => name !== undefined);
  let name = given.find((one) => !taken.has(one));
  for (let i = 2; name === undefined; i++) {
    const numbered = `${given.at(-1) ?? ""} #${i}`;
    if (!taken.has(numbered)) name = numbered;
  }
  taken.add(name);
  return name;
}

function find(cell: Cell, key: string | number): AnyTrial | undefined {
  if (cell.known && !cell.known.has(key)) return undefined;
  const i = cell.keys.indexOf(key);
  return i < 0 ? undefined : cell.trials[i];
}

function remember(cell: Cell, key: string | number): void {
  while (cell.keys.length < cell.trials.length - 1) cell.keys.push(""); // trials before it that had no repeat
  cell.keys.push(key);
  if (cell.known) cell.known.add(key);
  else if (cell.keys.length > fewKeys) cell.known = new Set(cell.keys);
}

const told = (score: number | null): string => (score === null ? "none" : String(score));

function recordOf(trial: ImportedTrial, repeat: number): MeasuredTrial {
  const { tokensIn = null, tokensOut = null, tokensCached = null, score } = trial;
  const silent = tokensIn === null && tokensOut === null && tokensCached === null;
  return {
    task: trial.task,
    repeat,
    score,
    passed: score === null ? null : score >= 1,
    family: trial.family ?? null,
    ...(trial.category === null || trial.category === undefined ? {} : { category: trial.category }),
    difficulty: trial.difficulty ?? null,
    costUsd: trial.costUsd ?? null,
    replyDigest: null,
    tokens: silent ? noTokens : { in: tokensIn, out: tokensOut, cached: tokensCached },
    turns: trial.turns ?? null,
    interventions: null,
    activeMs: trial.activeMs ?? null,
    trace: trial.trace ?? null,
  };
}
