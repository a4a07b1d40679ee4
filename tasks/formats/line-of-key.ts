/**
 * The line (from 1) on which a TOML text sets a key, for messages. Knows `[table]` headers and plain `key = value` lines; undefined for what
 * is written in another way.
 */
export function lineOfKey(text: string, path: readonly string[]): number | undefined {
  let table: string[] = [];
  let nearest: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) table = header.split(".").map(bare);
    const key = /^\s*([\w."'-]+)\s*=/.exec(line)?.[1];
    const here = key === undefined ? table : [...table, ...key.split(".").map(bare)];
    // An inline table or an array is one line: its inner keys are found on the line of the outer one.
    if (here.length > 0 && here.length <= path.length && here.every((part, i) => part === path[i])) {
      nearest = index + 1;
      if (key !== undefined) return nearest;
    }
  }
  return nearest;
}

const bare = (part: string): string => part.trim().replace(/^["']|["']$/g, "");
