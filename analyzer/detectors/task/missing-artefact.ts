import { actsOf } from "../acts/acts-of.ts";
import { atEnd } from "../acts/cite.ts";
import { baseName, filesIn } from "../acts/paths.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

/** Sentences that ask for a file. */
const asks = /\b(?:writes?|creates?|saves?|stores?|outputs?|produces?|generates?|puts?|named|called|into|to a file|results? (?:in|to))\b/i;
const given = /\b(?:reads?|given|from|existing|provided|input|located|contains|don't|do not|never|already)\b/i;

export const missingArtefact: Detector = {
  name: "missing-artefact",
  kind: "requirement-missed",
  looksAt: "Files that the task asks to be written, of which no call of the run names any.",
  provedWrongBy: "A program that was run wrote it, or the sentence names a file that was there from the start.",
  lever: "pre-completion-checklist",
  confidence: "medium",
  detect(run) {
    const place = atEnd(run);
    if (!place || run.passed === true || !endedByItself(run)) return [];
    const wanted = run.instruction
      .slice(0, 20_000)
      .split(/(?<=[.!?:])\s+|\n/)
      .filter((sentence) => asks.test(sentence) && !given.test(sentence))
      .flatMap(filesIn)
      .slice(0, 20);
    const acts = actsOf(run);
    const everything = acts.map(({ step }) => step.command).join("\n");
    const wrote = new Set(acts.flatMap((act) => act.wrote.map(baseName)));
    const lacking = [...new Set(wanted.map(baseName))].filter(
      (name) => !wrote.has(name) && !everything.includes(name) && !acts.some(({ output }) => output.includes(name)),
    );
    if (lacking.length === 0) return [];
    const reported = lacking.some((name) => run.report.includes(name));
    const why = `The task asks for ${lacking.slice(0, 3).join(", ")}, and no call of the run names ${lacking.length === 1 ? "it" : "them"}.`;
    return [{ ...place, why, mechanism: "file that the task asks for", confidence: reported ? "high" : "medium" }];
  },
};
