/** A value as one line of JSON that a terminal may show: characters that JSON lets through and a terminal obeys are written as escapes. */
export function jsonLine(value: unknown): string {
  const line = JSON.stringify(value);
  if (/^[\x20-\x7e]*$/.test(line)) return line; // most are, and looking for such characters takes longer than all the rest
  return line.replaceAll(/\p{C}/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}
