/** What is searched for: every phrase must stand in one and the same event. */
export interface Query {
  readonly phrases: readonly { readonly words: readonly string[]; /** The last word may go on. */ readonly open: boolean }[];
}

/** Letters and numbers of any script, as the index takes them apart. */
const word = /[\p{L}\p{N}\p{Co}]+/gu;

const wordsOf = (text: string): string[] => Array.from(plain(text).matchAll(word), ([found]) => found);

/** Case and accents mean nothing. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Words with spaces between them; in quotation marks a phrase; a star at the end lets the last word go on. undefined where there is no word in it. */
export function parseQuery(text: string): Query | undefined {
  const phrases = Array.from(text.matchAll(/"([^"]*)"?(\*?)|(\S+?)(\*?)(?=\s|"|$)/g), ([, quoted, quotedStar, bare, bareStar]) => ({
    words: wordsOf(quoted ?? bare ?? ""),
    open: (quotedStar || bareStar) === "*",
  })).filter(({ words }) => words.length > 0);
  return phrases.length > 0 ? { phrases } : undefined;
}

/** In the language of the full-text index. */
export const ftsQuery = ({ phrases }: Query): string =>
  phrases.map(({ words, open }) => `"${words.join(" ")}"${open ? " *" : ""}`).join(" AND ");

/** Whether a text fits, found without an index. */
export function fitsQuery({ phrases }: Query, text: string): boolean {
  const words = wordsOf(text);
  return phrases.every(({ words: wanted, open }) =>
    words.some((_, at) =>
      wanted.every((one, i) => (open && i === wanted.length - 1 ? words[at + i]?.startsWith(one) === true : words[at + i] === one)),
    ),
  );
}

/** The line of a text in which the query's first word stands, cut to about `width` characters around it. */
export function excerptOf({ phrases }: Query, text: string, width = 160): string {
  const first = phrases[0]?.words[0] ?? "";
  const lines = text.split("\n");
  const line = lines.find((one) => wordsOf(one).some((found) => found.startsWith(first))) ?? lines[0] ?? "";
  const at = Math.max(0, plain(line).indexOf(first));
  const from = Math.max(0, Math.min(at - Math.floor(width / 3), line.length - width));
  return `${from > 0 ? "…" : ""}${line.slice(from, from + width)}${from + width < line.length ? "…" : ""}`;
}
