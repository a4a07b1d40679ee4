/** How able a model is at a kind of task, in [0, 1]: 0.5 leaves its rates as they are, 1 makes no fault of them, 0 doubles the hazard. */
export interface Competence {
  readonly byLevel: Readonly<Record<string, number>>;
  /** A family's own figures, by level; what is left out is the level's. */
  readonly byFamily: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * A made-up model of the middle: good at text and data, weaker at repair, weakest at what runs at the same time. Levels that nobody names
 * (a task without a difficulty) count as medium.
 */
export const middling: Competence = {
  byLevel: { easy: 0.75, medium: 0.5, hard: 0.25 },
  byFamily: {
    files: { easy: 0.9, medium: 0.65 },
    data: { easy: 0.85, medium: 0.6, hard: 0.4 },
    "group-totals": { easy: 0.85, medium: 0.6, hard: 0.4 },
    "log-answers": { easy: 0.9, medium: 0.7, hard: 0.45 },
    "last-sentence": { easy: 0.6, medium: 0.35, hard: 0.15 },
    "config-edit": { easy: 0.8, medium: 0.6, hard: 0.4 },
    git: { easy: 0.6, medium: 0.4, hard: 0.2 },
    debugging: { easy: 0.6, medium: 0.4, hard: 0.15 },
    "planted-bug-c": { easy: 0.55, medium: 0.3, hard: 0.1 },
    shell: { easy: 0.7, medium: 0.45, hard: 0.2 },
  },
};

/** What the model can do at this family and level. */
export function competenceAt(
  table: Competence,
  { family = "", difficulty = "medium" }: { readonly family?: string | undefined; readonly difficulty?: string | undefined },
): number {
  const level = Object.hasOwn(table.byLevel, difficulty) ? difficulty : "medium";
  const own = Object.hasOwn(table.byFamily, family) ? table.byFamily[family]?.[level] : undefined;
  return own ?? table.byLevel[level] ?? 0.5;
}

/** A rate at this competence: hazards scale, so the result stays below 1 and keeps 0. */
export const scaledRate = (rate: number, competence: number): number => 1 - (1 - rate) ** (2 * (1 - competence));
