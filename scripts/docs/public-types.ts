import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What the package promises by its types: every export of `forge-lab` and `forge-lab/testing` with its declaration, without comments, by name. Read from
 * the compiled declarations, so it needs a build.
 */
export function publicTypes(): string {
  return (["index", "testing"] as const)
    .map((entry) => {
      const name = entry === "index" ? "forge-lab" : "forge-lab/testing";
      const declared = [...exportsOf(join(root, "dist", `${entry}.d.ts`))].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `# ${name}\n\n${declared.map(([exported, text]) => (text.includes(exported) ? text : `${exported}: ${text}`)).join("\n\n")}\n`;
    })
    .join("\n");
}

/** Declarations by exported name; an entry re-exports by name, or all types of a file. */
function exportsOf(file: string): Map<string, string> {
  const text = withoutComments(readFileSync(file, "utf8"));
  const found = declarationsIn(text);
  for (const [, list = "", from = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm)) {
    const declared = from.startsWith(".") ? exportsOf(targetOf(file, from)) : new Map<string, string>();
    for (const one of list.split(",").map((part) => part.trim().replace(/^type /, ""))) {
      if (one === "") continue;
      const [name = one, as = name] = one.split(" as ");
      found.set(as, declared.get(name) ?? `from "${from}"`);
    }
  }
  for (const [, from = ""] of text.matchAll(/^export (?:type )?\* from "([^"]+)";/gm))
    for (const [name, declared] of exportsOf(targetOf(file, from)))
      if (/^export (?:interface|type)/.test(declared)) found.set(name, declared);
  return found;
}

const targetOf = (file: string, from: string): string => join(dirname(file), from.replace(/\.[jt]s$/, ".d.ts"));

const withoutComments = (text: string): string => text.replace(/\/\*\*?[^]*?\*\//g, "").replace(/^\s*\n/gm, "");

/** Top-level declarations: each goes on until the next line that begins at the margin and is no closing bracket. */
function declarationsIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const name = /^export (?:declare )?(?:abstract )?(?:const|function|interface|type|class) (\w+)/.exec(lines[i] ?? "")?.[1];
    if (name === undefined) continue;
    let end = i + 1;
    while (end < lines.length && /^[\s})\]|]/.test(lines[end] ?? "")) end++;
    const declaration = lines.slice(i, end).join("\n").trimEnd();
    found.set(name, found.has(name) ? `${found.get(name)}\n${declaration}` : declaration);
  }
  return found;
}
