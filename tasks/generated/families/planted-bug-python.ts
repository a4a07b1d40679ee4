import type { Family } from "../family.ts";
import { ledger } from "../planted-bug-python/ledger.ts";
import { mergeRanges } from "../planted-bug-python/merge-ranges.ts";
import { wordCount } from "../planted-bug-python/word-count.ts";
import { wrapText } from "../planted-bug-python/wrap-text.ts";
import { drawPlantedBug, type Language } from "../planted-bug.ts";

export const python: Language = {
  name: "Python",
  extension: "py",
  subjects: [mergeRanges, wordCount, ledger, wrapText],
  run: (file) => `python3 ${file}`,
};

/** One of several small Python programs, broken in one to four ways. */
export const plantedBugPython: Family = {
  name: "planted-bug-python",
  summary: "repair a Python program by its promises; up to four bugs, of which not all show in the example",
  split: "train",
  tags: ["bugfix", "python"],
  draw: drawPlantedBug(python),
};
