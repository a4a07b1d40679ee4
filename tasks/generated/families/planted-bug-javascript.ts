import type { Family } from "../family.ts";
import { queue } from "../planted-bug-javascript/queue.ts";
import { template } from "../planted-bug-javascript/template.ts";
import { versions } from "../planted-bug-javascript/versions.ts";
import { drawPlantedBug, type Language } from "../planted-bug.ts";

export const javascript: Language = {
  name: "JavaScript",
  extension: "js",
  subjects: [queue, template, versions],
  run: (file) => `node ${file}`,
};

/** One of several small Node.js programs, broken in one to four ways. */
export const plantedBugJavascript: Family = {
  name: "planted-bug-javascript",
  summary: "repair a JavaScript program by its promises; up to four bugs, of which not all show in the example",
  split: "train",
  tags: ["bugfix", "javascript"],
  draw: drawPlantedBug(javascript),
};
