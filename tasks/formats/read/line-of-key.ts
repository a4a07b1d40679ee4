/**
 * The line (from 1) on which a TOML text sets a key, for messages. Knows `[table]` and `[[list of tables]]` headers (an entry's index is part of
 * the path) and plain `key = value` lines; undefined for what is written in another way.
 */
export function lineOfKey(text: string, path: readonly string[]): number | undefined {
  let table: string[] = [];
  let nearest: number | undefined;
  const entries = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*(\[\[?)([^[\]]+)\]/.exec(line);
    if (header?.[2] !== undefined) {
      const parts = header[2].split(".").map(bare);
      if (header[1] === "[[") entries.set(parts.join("."), (entries.get(parts.join(".")) ?? -1) + 1);
      table = parts.flatMap((part, i) => {
        const entry = entries.get(parts.slice(0, i + 1).join("."));
        return entry === undefined ? [part] : [part, String(entry)];
      });
    }
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
