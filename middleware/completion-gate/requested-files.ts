import { fileNames, maskNames, proseOf, sentencesOf } from "./file-names.ts";

/** Something is to be made: the file named after one of these words is a result. */
const makes =
  /\b(?:creat(?:e|ing)|writ(?:e|ing)|sav(?:e|ing)|stor(?:e|ing)|produc(?:e|ing)|generat(?:e|ing)|output|export|emit|dump|put|plac(?:e|ing)|add|implement|make|record|named|called|into|build)\b/i;

/** What comes after is about the made thing's own doing, an example, or a condition, not about files that must be there. */
const aside =
  /\b(?:that|which|who|whose|when|while|if|unless|so|such|like|usage|e\.g\.|for example|for instance|using|from|based on|given|reads?|reading|takes?|taking|accepts?|accepting|whenever|according|described|specified|listed|found)\b/i;

/** Files named here may rightly be absent at the end. */
const mayBeAbsent =
  /\b(?:not|never|without|avoid|instead|delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|unlink|drop|optional(?:ly)?|may|might|could|except|temporary)\b|n['’]t\b/i;

/** "in a new module `slug.py`" asks for it, whatever the verb is. */
const isNew = /\bnew (?:file|module|script|program|class|package|document|test)s?(?:,? (?:named|called))? ?[`"']?$/i;
const denied = /\b(?:not|never|without|no)\b|n['’]t\b/i;

/**
 * Files that a task asks to be made. Rather too few than too many: a sentence counts when it asks for something to be made, and only the
 * names between that word and the first aside. Inputs need no care, they exist.
 */
export function requestedFiles(task: string): string[] {
  const found = sentencesOf(proseOf(task)).flatMap((written) => {
    const sentence = written.replace(/\([^()]*\)/g, (aside) => " ".repeat(aside.length));
    const masked = maskNames(sentence);
    const start = makes.exec(masked);
    const from = start && !mayBeAbsent.test(masked) ? start.index + start[0].length : sentence.length;
    const until = from + (aside.exec(masked.slice(from))?.index ?? sentence.length);
    return fileNames(sentence)
      .filter(({ index }) => (index >= from && index < until) || (isNew.test(sentence.slice(0, index)) && !denied.test(masked)))
      .map((named) => named.path);
  });
  return [...new Set(found)].slice(0, 12);
}
