/** JSON whose texts have a UTF-8 form: half of a surrogate pair, which readers of the format refuse, becomes U+FFFD. Fields without a value are left out. */
export function wellFormed<T>(value: T): T {
  return walk(value) as T; // the walk keeps the shape and only swaps strings for strings
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key.toWellFormed(), walk(item)] as const])),
  );
}
