import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import { baseName, isProduct } from "../acts/paths.ts";
import { endedByItself, productEdits } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

const takesBack =
  /\bgit (?:checkout|restore)\s+(?:(?:--|HEAD|-f)\s+)*((?:[\w./-]+\.\w+\s*)+|\.)(?=$|[\s;&|])|\bgit reset --hard\b|\bgit stash\b(?! (?:list|show|pop|apply))/;
const bringsBack = /\bgit stash (?:pop|apply)\b|\bgit apply\b/;

export const workUndone: Detector = {
  name: "work-undone",
  kind: "claimed-not-done",
  looksAt:
    "Git commands that take back edits of the work, with no edit of the work after the last of them, in a run that ends as if it were done.",
  provedWrongBy: "Only files were taken back that the work does not need, and the edits that matter are still there.",
  lever: "pre-completion-checklist",
  confidence: "medium",
  detect(run) {
    if (!endedByItself(run) || run.passed === true) return [];
    const acts = actsOf(run);
    const edits = productEdits(run);
    const last = acts.findLast(({ command, failed }) => failed !== true && takesBack.test(command.slice(0, 4_000)));
    if (
      !last ||
      edits.some(({ index }) => index >= last.index) ||
      acts.some(({ command, index }) => index >= last.index && bringsBack.test(command))
    )
      return [];
    const [, named = "."] = takesBack.exec(last.command.slice(0, 4_000)) ?? [];
    const names = new Set(named.trim() === "." ? [] : named.trim().split(/\s+/).map(baseName));
    const before = edits.filter(({ index }) => index < last.index);
    const left = before.some(({ wrote }) => wrote.some((path) => isProduct(path) && names.size > 0 && !names.has(baseName(path))));
    if (before.length === 0 || left) return [];
    return [
      {
        ...atCall(last, "git "),
        why: "It takes its own edits back and ends without making them again.",
        mechanism: "took its own work back",
      },
    ];
  },
};
