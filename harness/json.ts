/** Any value that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** True of an object in curly brackets. Of a value that JSON.parse made, its members are JSON too. */
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Levels of what is recorded, and so of what is redacted, hashed and read again: all of these walk it on the stack. */
export const maxRecordedDepth = 1_000;

/** Whether a value has a part more than `most` levels down; its own stack is a list. */
export function isDeeperThan(value: unknown, most: number): boolean {
  const waiting: (readonly [item: object, depth: number])[] = typeof value === "object" && value !== null ? [[value, 1]] : [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [item, depth] = next;
    if (depth > most) return true;
    for (const member of Object.values(item) as unknown[]) {
      if (typeof member === "object" && member !== null) waiting.push([member, depth + 1]);
    }
  }
  return false;
}
