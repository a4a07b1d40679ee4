import type { Family } from "../family.ts";
import { cache } from "../planted-bug-c/cache.ts";
import { intern } from "../planted-bug-c/intern.ts";
import { matrix } from "../planted-bug-c/matrix.ts";
import { stack } from "../planted-bug-c/stack.ts";
import { wholeNumbers } from "../planted-bug-c/whole-numbers.ts";
import { drawPlantedBug, type Language } from "../planted-bug.ts";

export const c: Language = {
  name: "C",
  extension: "c",
  subjects: [stack, intern, matrix],
  longer: [wholeNumbers, cache],
  build: (file) => `gcc -O1 -o program ${file}`,
  run: () => "./program",
};

/** One of several C programs, broken in one to four ways. */
export const plantedBugC: Family = {
  name: "planted-bug-c",
  summary: "repair a C program by its promises; up to four bugs, of which not all show in the example",
  split: "test",
  tags: ["bugfix", "c"],
  draw: drawPlantedBug(c),
};
