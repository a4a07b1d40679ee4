import { namesBy, type Cell } from "../cells.ts";
import type { ContrastRow } from "../contrast-row.ts";
import type { RelativeFeature } from "../feature.ts";

type List = "files" | "programs";

/** By how many runs of a cell each name is met. */
function counted({ rows, horizon }: Cell, list: List): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) for (const name of namesBy(row[list], horizon)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Runs that lack a name which more than half of the others have. */
function lackingCommon(cell: Cell, list: List): (row: ContrastRow) => boolean {
  const others = cell.rows.length - 1;
  const common = [...counted(cell, list)].filter(([, count]) => 2 * count > others).map(([name]) => name);
  return (row) => {
    const own = namesBy(row[list], cell.horizon);
    return common.some((name) => !own.has(name));
  };
}

/** Files touched and commands run, beside the other runs of the same task: of failed and passed ones alike, so that no outcome decides a feature. */
export const besideOthers: readonly RelativeFeature[] = [
  {
    name: "left-common-file",
    scope: "reached turns",
    needsEffects: true,
    shown: {
      says: "It does not change a file that most other runs of the task change.",
      explains: { kind: "partial-fix", lever: "local-context-onboarding" },
    },
    lacking: { says: "It changes the files that most other runs of the task change." },
    among: (cell) => lackingCommon(cell, "files"),
  },
  {
    name: "touched-odd-file",
    scope: "reached turns",
    needsEffects: true,
    shown: {
      says: "It changes a file that no other run of the task changes.",
      explains: { kind: "wrong-place", lever: "local-context-onboarding" },
    },
    lacking: { says: "It changes no file that no other run of the task changes." },
    among(cell) {
      const counts = counted(cell, "files");
      return (row) => cell.rows.length > 1 && [...namesBy(row.files, cell.horizon)].some((name) => counts.get(name) === 1);
    },
  },
  {
    name: "left-common-command",
    scope: "reached turns",
    needsEffects: false,
    shown: {
      says: "It never runs a program that most other runs of the task run.",
      explains: { kind: "no-check", lever: "prompt-section" },
    },
    lacking: { says: "It runs the programs that most other runs of the task run." },
    among: (cell) => lackingCommon(cell, "programs"),
  },
];
