/** The names and globs of a list with commas between them, without the blanks around each. A comma inside of `{a,b}` belongs to its glob. */
export function namesListed(list: string): string[] {
  const names = [""];
  let depth = 0;
  for (const letter of list) {
    if (letter === "{") depth++;
    else if (letter === "}") depth = Math.max(0, depth - 1);
    if (letter === "," && depth === 0) names.push("");
    else names.push(`${names.pop() ?? ""}${letter}`);
  }
  return names.map((name) => name.trim());
}
