import { actsOf } from "../acts/acts-of.ts";
import { atOutput } from "../acts/cite.ts";
import { cutAway } from "../acts/outputs.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

export const outputNotReadOn: Detector = {
  name: "output-not-read-on",
  kind: "output-not-read-on",
  looksAt: "Checks whose output the agent's own tool cut before their verdict, with no other check, and no reading on, before the end.",
  provedWrongBy: "The verdict was in the part that was shown, or the exit code showed it.",
  lever: "output-budget",
  confidence: "low",
  detect(run) {
    if (!endedByItself(run) || run.passed === true) return [];
    const acts = actsOf(run);
    const cut = acts.findLast(({ check, step, exitCode }) => check !== undefined && cutAway(step.observation) && exitCode === undefined);
    if (!cut || acts.slice(cut.index + 1).some(({ check, role }) => check?.passed !== undefined || role === "wait")) return [];
    const why = "The output of its last check was cut before the verdict, and it did not read on.";
    return [{ ...atOutput(cut), why, mechanism: "verdict beyond the cut" }];
  },
};
