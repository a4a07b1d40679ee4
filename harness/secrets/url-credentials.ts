/** From `://` to the last `@` before the host ends. A single quote may be part of a password, so it does not end it. */
const userinfo = /(?<=:\/\/)[^\s/?#\\"`<>]*(?=@)/g;
/** A name of this length in place of a user is a token; a shorter one is told to anyone. */
const shortestToken = 16;

/** Where the passwords of URLs stand in a text, and names that are tokens. Linear in the length of the text. */
export function urlCredentials(text: string): { from: number; to: number }[] {
  return Array.from(text.matchAll(userinfo)).flatMap(({ index: from, 0: found }) => {
    const colon = found.indexOf(":");
    const name = colon === -1 ? found : found.slice(0, colon);
    const password = colon === -1 ? "" : found.slice(colon + 1);
    return [
      ...(name.length >= shortestToken ? [{ from, to: from + name.length }] : []),
      ...(password === "" ? [] : [{ from: from + colon + 1, to: from + found.length }]),
    ];
  });
}
