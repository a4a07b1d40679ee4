import { fileNames, proseOf, sentencesOf } from "./file-names.ts";

/** Something is to be made: the file named after one of these words is a result. */
const makes =
  /\b(?:creat(?:e|ing)|writ(?:e|ing)|sav(?:e|ing)|stor(?:e|ing)|produc(?:e|ing)|generat(?:e|ing)|output|export|emit|dump|put|plac(?:e|ing)|add|implement|make|record|named|called|into|build)\b/i;

/** What comes after is about the made thing's own doing, an example, or a condition, not about files that must be there. */
const aside =
  /\b(?:that|which|who|whose|when|while|if|unless|so|such|like|usage|e\.g\.|for example|for instance|using|from|based on|given|reads?|reading|takes?|taking|accepts?|accepting|whenever|according|described|specified|listed|found)\b|[([]/i;

/** Files named here may rightly be absent at the end. */
const mayBeAbsent =
  /\b(?:not|never|without|avoid|instead|delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|unlink|drop|optional(?:ly)?|may|might|could|except|temporary)\b|n['’]t\b/i;

/**
 * Files that a task asks to be made. Rather too few than too many: a sentence counts when it asks for something to be made, and only the
 * names between that word and the first aside. Inputs need no care, they exist.
 */
export function requestedFiles(task: string): string[] {
  const found = sentencesOf(proseOf(task)).flatMap((sentence) => {
    const start = makes.exec(sentence);
    if (!start || mayBeAbsent.test(sentence)) return [];
    const rest = sentence.slice(start.index + start[0].length);
    const end = aside.exec(rest)?.index ?? rest.length;
    return fileNames(rest.slice(0, end)).map((named) => named.path);
  });
  return [...new Set(found)].slice(0, 12);
}
