import { plural } from "../../harness/text/figures.ts";
import { z } from "zod";
import { sha256 } from "../../harness/hash/sha256.ts";
import { fewest } from "../statistics/family-means.ts";
import type { Study } from "./study.ts";

/** By which a job stops as soon as its comparisons are decided (`--until-decided`); kept in its lock. The comparisons are those of its study. */
export const stoppingRuleSchema = z.looseObject({
  /** Of all comparisons together. */
  alpha: z.number().gt(0).lt(1),
  /** Nothing is decided on fewer tasks. */
  firstLook: z.int().min(1),
  /** Names of all tasks, in the order in which they are run and looked at. */
  order: z.array(z.string()),
  /** Where families are known: how many tasks of the order each look takes, a whole family, and the families under which nothing is decided. */
  looks: z.array(z.int().min(1)).optional(),
  firstFamilies: z.int().min(1).optional(),
});
export type StoppingRule = z.infer<typeof stoppingRuleSchema>;

interface Placed {
  readonly name: string;
  readonly metadata?: { readonly family?: string | undefined };
}

/** As `forge compare` decides: under 15 tasks or 8 families nothing, and one in twenty. */
export function stoppingRule(tasks: readonly Placed[]): StoppingRule {
  const looks = wholeFamilies(tasks).map((family) => family.length);
  return {
    alpha: 0.05,
    firstLook: fewest.tasks,
    order: tasks.map(({ name }) => name),
    ...(looks.length < tasks.length ? { looks, firstFamilies: fewest.families } : {}),
  };
}

/** The tasks by family, in their order; one of no known family is one by itself. */
export function wholeFamilies<T extends Placed>(tasks: readonly T[]): T[][] {
  const families = new Map<string, T[]>();
  for (const task of tasks) {
    const named = task.metadata?.family;
    const key = JSON.stringify(named === undefined ? [task.name] : { family: named });
    const family = families.get(key);
    if (family) family.push(task);
    else families.set(key, [task]);
  }
  return [...families.values()];
}

/**
 * Tasks in an order that has nothing to do with what they are: a suite's own is often by family or difficulty, and looks at a part of it would see that
 * part alone. Whole families, as their tasks say the same. Drawn by the tasks' digests, so it is the same on every machine.
 */
export function drawnOrder<T extends Placed & { readonly digest: string }>(tasks: readonly T[]): T[] {
  const drawn = tasks
    .map((task) => ({ task, place: sha256(`order of looks ${task.digest} ${task.name}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ task }) => task);
  return wholeFamilies(drawn).flat();
}

/** The rule of a job that has lost some of its tasks. */
export function ruleWithout(rule: StoppingRule, gone: ReadonlySet<string>): StoppingRule {
  const order = rule.order.filter((name) => !gone.has(name));
  if (!rule.looks) return { ...rule, order };
  let at = 0;
  const looks = rule.looks.map((size) => rule.order.slice(at, (at += size)).filter((name) => !gone.has(name)).length);
  return { ...rule, order, looks: looks.filter((size) => size > 0) };
}

/** The rule of a job in a few words, to tell whether two locks have the same: everything that a look rests on. */
export function describeRule({
  untilDecided,
  study,
  repeats,
}: {
  readonly untilDecided?: StoppingRule | undefined;
  readonly study?: Study | undefined;
  readonly repeats: number;
}): string {
  if (untilDecided === undefined) return "none";
  const { alpha, firstLook, order, looks, firstFamilies } = untilDecided;
  const pairs = study?.pairs ?? [];
  const hash = sha256(JSON.stringify([alpha, firstLook, order, pairs, ...(looks ? [looks, firstFamilies] : [])])).slice(0, 6);
  return `${plural(order.length, "task")}${looks ? ` of ${plural(looks.length, "family", "families")}` : ""} × ${plural(repeats, "repeat")}, ${plural(pairs.length, "comparison")} (${hash})`;
}
