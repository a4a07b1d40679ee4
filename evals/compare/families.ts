import type { AnyArm } from "../arms/arm.ts";

/** The family of a task, whose tasks are variants of one another; null where none is known. */
export type FamilyOf = (task: string) => string | null;

/** Tasks whose names look like variants of one another, and whose family nothing names. */
export interface VariantNames {
  readonly tasks: number;
  readonly families: number;
  /** Of one of them, two names. */
  readonly example: readonly [string, string];
}

/** Of a numbered suite (`task-1` to `task-80`) the numbers mean nothing: a stem of more than this share of all tasks is none. */
const mostOfASuite = 0.5;

/** What a name is without the endings that variants have: `crack-7z-hash.easy`, `group-totals-easy-0007`, `swe-bench-astropy-2`. */
export function variantStem(task: string): string {
  let stem = task;
  for (;;) {
    const shorter = stem.replace(/(?<=[^/])(\.[^./]+|[-_](easy|medium|hard|v?\d+))$/i, "");
    if (shorter === stem) return stem;
    stem = shorter;
  }
}

/**
 * The families as the trials name them: a generated task's, `family` in task.toml or in a table. `variants`: the user says that tasks of no known family whose
 * names differ in a variant's ending alone are one.
 */
export function familiesOf(
  arms: readonly AnyArm[],
  variants: boolean,
): { readonly familyOf: FamilyOf; readonly names: VariantNames | undefined } {
  const families = new Map<string, string | null>();
  for (const { tasks } of arms)
    for (const [task, trials] of tasks) families.set(task, families.get(task) ?? trials[0]?.record.family ?? null);
  const stems = new Map<string, string[]>();
  for (const [task, family] of families) if (family === null) stems.set(variantStem(task), [...(stems.get(variantStem(task)) ?? []), task]);
  const groups = [...stems].filter(([, tasks]) => tasks.length > 1 && tasks.length <= mostOfASuite * families.size);
  if (variants) {
    for (const [stem, tasks] of groups) for (const task of tasks) families.set(task, `names like ${stem}`);
    return { familyOf: (task) => families.get(task) ?? null, names: undefined };
  }
  const [first = "", second = ""] = groups[0]?.[1].toSorted() ?? [];
  const tasks = groups.reduce((sum, [, some]) => sum + some.length, 0);
  return {
    familyOf: (task) => families.get(task) ?? null,
    names: groups.length > 0 ? { tasks, families: groups.length, example: [first, second] } : undefined,
  };
}

/** What is offered where names alone speak of families, as nothing is taken from names unasked. */
export const variantsNotKnown = (names: VariantNames | undefined): string[] =>
  names
    ? [
        `whether ${names.tasks} tasks whose names look like variants (${names.example.join(", ")}) are ${names.families === 1 ? "one family" : `${names.families} families`}, whose tasks would not be independent; name a family in the table or in task.toml, or take their names for it with --variants`,
      ]
    : [];
