/** Words of a text that lays down what has to hold, and names in code. */
const norms = /\b(?:must|shall|should|required?|requires|never|exactly|only|ensure)\b/gi;
const code = /`[^`\n]{1,120}`/g;

/** Whether an instruction states requirements one by one, as a specification does and the report of a bug does not. */
export function spelledOut(instruction: string): boolean {
  const text = instruction.slice(0, 40_000);
  const [words, names] = [text.match(norms)?.length ?? 0, text.match(code)?.length ?? 0];
  return words >= 5 || (words >= 2 && names >= 20);
}
