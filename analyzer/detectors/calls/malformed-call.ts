import { actsOf } from "../acts/acts-of.ts";
import { atOutput } from "../acts/cite.ts";
import type { Act } from "../acts/act.ts";
import type { Detector } from "../detector.ts";

const refusals =
  /InputValidationError|\b(?:invalid|unknown|unexpected|missing required) (?:argument|parameter|property|field)s?\b|apply_patch verification failed|String to replace not found|old_string (?:was )?not found|Please always provide EXACTLY ONE action|No tool call found/i;

export const malformedCall: Detector = {
  name: "malformed-call",
  kind: "malformed-call",
  looksAt: "Calls whose arguments the tool refused, and whether a later call of that tool was taken.",
  provedWrongBy: "The next call of the tool is right and the run continues.",
  lever: "tool-call-repair",
  confidence: "low",
  detect(run) {
    const acts = actsOf(run);
    const wrong = acts.filter(isRefused);
    const first = wrong[0];
    if (!first) return [];
    const recovered = acts.some(
      (act) =>
        act.index > (wrong.at(-1)?.index ?? 0) && act.failed !== true && act.step.status !== undefined && act.step.tool === first.step.tool,
    );
    if (recovered && wrong.length < 5) return [];
    const why = recovered
      ? `${wrong.length} of its calls have arguments that the tool does not take.`
      : "Its calls have arguments that the tool does not take, up to the end.";
    return [{ ...atOutput(first), why, mechanism: `arguments of ${first.step.tool}`, confidence: recovered ? "low" : "high" }];
  },
};

const isRefused = ({ step, failed, exitCode }: Act): boolean =>
  step.error === "bad_arguments" ||
  step.error === "invalid" ||
  (step.error === undefined && exitCode === undefined && failed !== false && refusals.test(step.observation.slice(0, 600)));
