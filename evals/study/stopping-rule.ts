import { z } from "zod";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { Study } from "./study.ts";

/** By which a job stops as soon as its comparisons are decided (`--until-decided`); kept in its lock. The comparisons are those of its study. */
export const stoppingRuleSchema = z.looseObject({
  /** Of all comparisons together. */
  alpha: z.number().gt(0).lt(1),
  /** Nothing is decided on fewer tasks. */
  firstLook: z.int().min(1),
  /** Names of all tasks, in the order in which they are run and looked at. */
  order: z.array(z.string()),
});
export type StoppingRule = z.infer<typeof stoppingRuleSchema>;

/** As `forge compare` decides: under 15 tasks nothing, and one in twenty. */
export const fewestTasks = 15;
export const stoppingRule = (tasks: readonly { readonly name: string }[]): StoppingRule => ({
  alpha: 0.05,
  firstLook: fewestTasks,
  order: tasks.map(({ name }) => name),
});

/**
 * Tasks in an order that has nothing to do with what they are: a suite's own is often by family or difficulty, and looks at a part of it would see that
 * part alone. Drawn by the tasks' digests, so it is the same on every machine.
 */
export const drawnOrder = <T extends { readonly name: string; readonly digest: string }>(tasks: readonly T[]): T[] =>
  tasks
    .map((task) => ({ task, place: sha256(`order of looks ${task.digest} ${task.name}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ task }) => task);

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
  const { alpha, firstLook, order } = untilDecided;
  const pairs = study?.pairs ?? [];
  const hash = sha256(JSON.stringify([alpha, firstLook, order, pairs])).slice(0, 6);
  return `${order.length} tasks × ${repeats} repeats, ${pairs.length} comparisons (${hash})`;
}
