/** What was found of one thing. `bad`: something that is needed does not work; `warn`: something works less well, or is not there and may not be needed. */
export interface Check {
  readonly name: string;
  readonly level: "ok" | "warn" | "bad";
  /** What was found. */
  readonly says: string;
  /** What to do about it. */
  readonly cure?: string;
}

export const ok = (name: string, says: string): Check => ({ name, level: "ok", says });
export const warn = (name: string, says: string, cure?: string): Check => ({
  name,
  level: "warn",
  says,
  ...(cure === undefined ? {} : { cure }),
});
export const bad = (name: string, says: string, cure?: string): Check => ({
  name,
  level: "bad",
  says,
  ...(cure === undefined ? {} : { cure }),
});

/** A sentence of Forge's own, whose cure follows the first semicolon or full stop. */
export function split(sentence: string): { says: string; cure?: string } {
  const at = /; |\. (?=[A-Z])/.exec(sentence);
  if (at === null) return { says: sentence };
  const rest = sentence.slice(at.index + at[0].length);
  return { says: `${sentence.slice(0, at.index)}.`, cure: `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` };
}
