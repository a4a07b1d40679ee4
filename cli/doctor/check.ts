/** What was found of one thing. `bad`: something that is needed does not work; `warn`: something works less well, or is not there and may not be needed. */
export interface Check {
  readonly name: string;
  readonly level: "ok" | "warn" | "bad";
  /** What was found. */
  readonly found: string;
  /** What to do about it. */
  readonly cure?: string;
}

export const ok = (name: string, found: string): Check => ({ name, level: "ok", found });
export const warn = (name: string, found: string, cure?: string): Check => ({
  name,
  level: "warn",
  found,
  ...(cure === undefined ? {} : { cure }),
});
export const bad = (name: string, found: string, cure?: string): Check => ({
  name,
  level: "bad",
  found,
  ...(cure === undefined ? {} : { cure }),
});

/** A sentence of Forge's own, whose cure follows the first semicolon or full stop. */
export function split(sentence: string): { found: string; cure?: string } {
  const at = /; |\. (?=[A-Z])/.exec(sentence);
  if (at === null) return { found: sentence };
  const rest = sentence.slice(at.index + at[0].length);
  return { found: `${sentence.slice(0, at.index)}.`, cure: `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` };
}
