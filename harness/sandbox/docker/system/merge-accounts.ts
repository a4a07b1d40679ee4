/**
 * A list of accounts (`passwd`, `group`, `shadow` and their like) after an agent: the image's lines as they were, then the accounts that the agent added,
 * but for those that have the number of one of the image's. New accounts may have joined the image's groups; which of the image's are in them stays as it was.
 * @param o.list the file's name
 * @param o.accounts the names in the image's `passwd`
 */
export function mergeAccounts(o: {
  readonly list: string;
  readonly before: string;
  readonly after: string;
  readonly accounts: ReadonlySet<string>;
}): string {
  const before = linesOf(o.before);
  const after = linesOf(o.after);
  const numbered = o.list === "passwd" || o.list === "group";
  const numbers = new Set([...before.values()].map(([, , number]) => Number(number)));
  const old = [...before].map(([name, fields]) => {
    const [known, members] = [membersOf(fields), membersOf(after.get(name) ?? [])];
    const joined = o.list === "group" ? members.filter((member) => !known.includes(member) && !o.accounts.has(member)) : [];
    return joined.length === 0 ? fields : [...fields.slice(0, 3), [...known, ...joined].join(",")];
  });
  const added = [...after].filter(([name, [, , number]]) => !before.has(name) && !(numbered && numbers.has(Number(number))));
  return [...old, ...added.map(([, fields]) => fields)].map((fields) => `${fields.join(":")}\n`).join("");
}

/** By name; of several the first, which is the one that counts. A `+` would ask another source of accounts. */
function linesOf(text: string): Map<string, readonly string[]> {
  const lines = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    const fields = line.split(":");
    const [name = ""] = fields;
    if (/^[\w.][\w.$-]*$/.test(name) && !lines.has(name)) lines.set(name, fields);
  }
  return lines;
}

const membersOf = (fields: readonly string[]): string[] => (fields[3] ?? "").split(",").filter((name) => name !== "");
