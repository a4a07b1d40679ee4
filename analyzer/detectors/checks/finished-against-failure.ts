import { actsOf } from "../acts/acts-of.ts";
import type { Act } from "../acts/act.ts";
import { atEnd, finalText } from "../acts/cite.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { admits } from "../ending/says.ts";

export const finishedAgainstFailure: Detector = {
  name: "finished-against-failure",
  kind: "finished-against-failure",
  looksAt:
    "Runs that end by themselves although the last check, or the last command after the last edit, failed, and whose last reply does not speak of it.",
  provedWrongBy: "What failed has nothing to do with the task, failed before the first edit too, or is a search that found nothing.",
  lever: "pre-completion-checklist",
  confidence: "medium",
  detect(run) {
    const place = atEnd(run);
    if (!endedByItself(run) || !place || run.passed === true) return [];
    const acts = actsOf(run);
    const lastCheck = acts.findLast(({ check }) => check?.passed !== undefined);
    const edited = acts.findLastIndex(({ wrote, failed }) => wrote.length > 0 && failed !== true);
    const last = acts.at(-1);
    const failing = lastCheck?.check?.passed === false ? lastCheck : last && last.index > edited && reallyFailed(last) ? last : undefined;
    if (!failing || acts.slice(failing.index + 1).some(({ exitCode, role, looksOnly }) => role === "shell" && exitCode === 0 && !looksOnly))
      return [];
    const text = finalText(run);
    if (text === "" || admits(text)) return [];
    const why = `It ends although its last ${failing.check ? "check" : "command"} failed (step ${failing.step.step}), and does not speak of it.`;
    return [{ ...place, why, mechanism: "ends against a failing check", confidence: run.imported === undefined ? "high" : "low" }];
  },
};

/** Searches and comparisons that find nothing end with 1 and fail at nothing. */
const reallyFailed = ({ failed, exitCode, command, role, output, step }: Act): boolean =>
  role === "shell" &&
  failed === true &&
  step.status !== "denied" &&
  exitCode !== undefined &&
  exitCode !== 127 &&
  !(exitCode === 1 && /^\s*(?:grep|rg|diff|cmp|test|\[|find|ls|which)\b/.test(command) && output === "");
