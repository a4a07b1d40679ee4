/** One word of shell, whatever it holds (newlines and quotes too). NUL cannot be in a word; it has to be refused before. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
