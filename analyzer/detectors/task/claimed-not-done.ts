import { actsOf } from "../acts/acts-of.ts";
import { atEnd, finalText } from "../acts/cite.ts";
import { baseName, filesIn } from "../acts/paths.ts";
import { endedByItself } from "../acts/work.ts";
import type { Detector } from "../detector.ts";

const claim = /\b(?:wrote|written|created|saved|generated|added|produced|stored)\b/i;
const denial = /\b(?:not|never|no|would|should|could|can|cannot|will|to be)\b/i;

export const claimedNotDone: Detector = {
  name: "claimed-not-done",
  kind: "claimed-not-done",
  looksAt: "Sentences of the last reply that say a file was written, of which no call names the file and no output shows it.",
  provedWrongBy: "A program that was run wrote the file without its name in the call.",
  lever: "pre-completion-checklist",
  confidence: "high",
  detect(run) {
    const [text, place] = [finalText(run), atEnd(run)];
    if (!place || !endedByItself(run)) return [];
    const files = text
      .slice(0, 8_000)
      .split(/(?<=[.!?])\s+|\n/)
      .filter((sentence) => claim.test(sentence) && !denial.test(sentence))
      .flatMap(filesIn)
      .slice(0, 20);
    if (files.length === 0) return [];
    const acts = actsOf(run);
    const absent = files.find((file) => {
      const name = baseName(file);
      return !acts.some(
        ({ wrote, step, output }) => wrote.some((path) => baseName(path) === name) || namesIt(step.command, name) || namesIt(output, name),
      );
    });
    if (absent === undefined) return [];
    const around = text.split("\n").find((line) => line.includes(absent)) ?? absent;
    const quote = around.trim().length >= 20 && around.length <= 300 ? around : place.quote;
    return [
      {
        ...place,
        quote,
        why: `It says that it wrote ${absent}, which no call of the run names.`,
        mechanism: "says it wrote a file that it did not",
      },
    ];
  },
};

/** The name as a word: `a.txt` is not in `data.txt`. */
function namesIt(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) if (!/[\w-]/.test(text[at - 1] ?? " ")) return true;
  return false;
}
