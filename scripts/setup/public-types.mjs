// Keeps the type declarations that the public entries reach, and no others: the package stays small, and editors offer nothing internal.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @param {string} folder with declarations, at any depth
 * @param {string[]} entries the public ones, relative to it
 */
export function keepPublicTypes(folder, entries) {
  /** @type {Set<string>} */
  const reached = new Set();
  const open = entries.map((entry) => join(folder, entry));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)) {
      const declared = join(dirname(file), target).replace(/\.(?:js|ts)$/, ".d.ts");
      if (existsSync(declared)) open.push(declared);
    }
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}
