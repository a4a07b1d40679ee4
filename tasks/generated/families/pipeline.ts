import type { Family } from "../family.ts";
import { processes } from "../pipeline/processes.ts";
import { tidy } from "../pipeline/tidy.ts";
import { drawRuleBook } from "../rule-book.ts";

/** Shell scripts that work on the state of a system: a tree of files, a table of processes. */
export const pipeline: Family = {
  name: "pipeline",
  summary: "write a shell script that tidies a tree of files or sums up a table of processes; odd names, links and columns are the traps",
  split: "validation",
  tags: ["shell", "files"],
  draw: drawRuleBook([processes, tidy]),
};
