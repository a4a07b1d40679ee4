import type { ServiceData } from "./compose-file.ts";

/** A table, or a list of `KEY=value`, as pairs; null where a key has no value. */
export function pairsOf(data: ServiceData["environment"]): [string, string | null][] {
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data)) return Object.entries(data);
  return data.map((text) => {
    const cut = text.indexOf("=");
    return cut < 0 ? [text, null] : [text.slice(0, cut), text.slice(cut + 1)];
  });
}
