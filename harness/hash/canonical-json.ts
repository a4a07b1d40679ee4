/**
 * JSON with the keys of every object in code-unit order and without `undefined`: equal values give equal text, however they were written.
 * Values must be JSON; numbers print as JavaScript prints them.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
