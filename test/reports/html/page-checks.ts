/** Elements that HTML never closes, and those of drawings that end themselves. */
const empty = new Set(["meta", "br"]);

/** What is wrong with the nesting of a page's tags; empty where nothing is. Strict, so that a text of others that gets out is seen. */
export function nestingFaults(page: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const body = page.replace("<!doctype html>", "").replace(/<style>[^<]*<\/style>/, "");
  const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s[a-zA-Z0-9-]+(?:="[^"<>]*")?)*)\s*(\/?)>/g;
  if (/[<>]/.test(body.replaceAll(tag, ""))) faults.push("a bracket that belongs to no tag");
  for (const [, slash, name = "", , end] of body.matchAll(tag)) {
    if (empty.has(name) || end === "/") continue;
    if (slash === "") open.push(name);
    else if (open.at(-1) === name) open.pop();
    else faults.push(`</${name}> closes <${open.at(-1) ?? "nothing"}>`);
  }
  return [...faults, ...open.map((name) => `<${name}> is not closed`)];
}

/** Everything that a browser might fetch or run. */
export function reachesOut(page: string): string[] {
  const found = page.match(/<(?:script|link|iframe|object|embed|img|form|base)\b|\ssrc=|\son[a-z]+=|@import|url\(/gi) ?? [];
  const addresses = [...page.matchAll(/\shref="([^"]*)"/g)].map(([, address = ""]) => address);
  return [...found, ...addresses.filter((address) => /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(address))];
}
