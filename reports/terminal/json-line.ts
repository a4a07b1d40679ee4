/** A value as one line of JSON that a terminal may show: characters that JSON lets through and a terminal obeys are written as escapes. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\p{C}/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
