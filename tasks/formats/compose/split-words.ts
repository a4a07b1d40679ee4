/** A command as one text, split into words as a shell does, without expanding anything; undefined where a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i);
    if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else if (letter === "\\" && quote === '"' && '"\\$`'.includes(text.charAt(i + 1)) && i + 1 < text.length)
        word = (word ?? "") + text.charAt(++i);
      else word = (word ?? "") + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= "";
    } else if (letter === "\\" && i + 1 < text.length) word = (word ?? "") + text.charAt(++i);
    else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
