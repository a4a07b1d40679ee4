/** The text in at most so many characters, cut between two words; what is cut off leaves an `…`. A word that is too long by itself is cut within. */
export function cutAtWord(text: string, most: number): string {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const kept = letters.slice(0, most).join("");
  const end = kept.lastIndexOf(" ");
  return `${(end > 0 ? kept.slice(0, end) : Array.from(kept).slice(0, -1).join("")).replace(/[\s,;:.–—-]+$/, "")}…`;
}
