/** Freezes a plain JSON value and all below it, once: what is frozen already is not walked again. Its stack is a list, so that no depth ends it. Answers the value. */
export function deepFreeze<T>(value: T): T {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const item of Object.values(next)) waiting.push(item);
  }
  return value;
}
