import type { Family } from "./family.ts";
import { groupTotals } from "./families/group-totals.ts";
import { plantedBugPython } from "./families/planted-bug-python.ts";

/** Every family, in the order of their names. To add one: write its file in `families/` and name it here. */
export const families: readonly Family[] = [groupTotals, plantedBugPython];
