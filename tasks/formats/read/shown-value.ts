/** A value from a task's file for a message: as JSON, short, whatever it is (a cycle, a bigint). */
export function shownValue(value: unknown): string {
  const text = asJson(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

function asJson(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `a ${Array.isArray(value) ? "list" : "table"} that contains itself`;
  }
}
