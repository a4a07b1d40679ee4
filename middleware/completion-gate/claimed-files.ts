import { fileNames, maskNames, proseOf, sentencesOf } from "./file-names.ts";

const done =
  "(?:created|wrote|written|saved|stored|generated|produced|exported|added|placed|put|dumped|built|made|implemented|updated|modified|edited|fixed|changed|recorded)";
/** "I wrote a.txt", "saved to a.txt", "the result is in a.txt": the file comes after it. */
const claimBefore = new RegExp(
  `\\b${done}\\b|\\b(?:result|results|output|answer|report|summary|solution|code|script|file)s? (?:is|are) (?:now )?(?:in|at|saved)\\b`,
  "i",
);
/** "a.txt has been created", "a.txt now contains": the file comes before it. */
const claimAfter = new RegExp(
  `^[\`"')\\]*]*\\s+(?:file\\s+)?(?:(?:has|have) been|was|were|is now|now|is)\\s+(?:successfully\\s+)?(?:${done}|contains?|holds?|exists?|in place)\\b`,
  "i",
);
/** The names after it are what something reads or means. */
const aside =
  /\b(?:that|which|from|using|by|based on|reads?|reading|because|since|for|with|if|when|so|like|such as|instead of|similar to|according|containing|and then)\b|[([]/i;
/** Not a claim: a wish, a plan, a condition, a denial. */
const noClaim =
  /\b(?:not|never|cannot|could|would|should|will|shall|may|might|must|can|need(?:s|ed)? to|to be|unable|failed|fails|if|unless|without|deleted|removed|renamed|moved|replaced|once|want(?:s|ed)?|asked|expected|supposed)\b|n['’]t\b|['’]ll\b|\?\s*$/i;

/** Files that an answer says it has made. A file that is only mentioned is no claim. */
export function claimedFiles(answer: string): string[] {
  const found = sentencesOf(proseOf(answer)).flatMap((sentence) => {
    const masked = maskNames(sentence);
    if (noClaim.test(masked)) return [];
    const start = claimBefore.exec(masked);
    const from = start ? start.index + start[0].length : sentence.length;
    const until = from + (aside.exec(masked.slice(from))?.index ?? sentence.length);
    return fileNames(sentence)
      .filter(({ path, index }) => (index >= from && index < until) || claimAfter.test(sentence.slice(index + path.length)))
      .map((named) => named.path);
  });
  return [...new Set(found)].slice(0, 12);
}
