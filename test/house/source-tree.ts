import { posix } from "node:path";

/** Source texts by path, from the root of the repository. */
export type SourceTree = ReadonlyMap<string, string>;

/** A file imports from its own top folder and from lower floors. Tests, scripts and examples, which import anything, are above all of them. */
const floors: Readonly<Record<string, number>> = {
  harness: 1,
  middleware: 2,
  traces: 2,
  tasks: 2,
  evals: 3,
  session: 3,
  analyzer: 4,
  reports: 5,
  assembly: 6,
  cli: 7,
  "index.ts": 7,
  "testing.ts": 7,
  scripts: 8,
  test: 8,
  examples: 8,
};

const topOf = (path: string): string => path.split("/")[0] ?? "";

/** What each file imports of the tree, types, `import()` and modules that are named by their address included. */
export function importsOf(tree: SourceTree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, text] of tree) {
    const names = [...text.matchAll(/\b(?:from|import|import\(|new URL\(|vi\.\w+\()\s*(["'])(\.[^"'\n]*)\1/g)].map(
      (match) => match[2] ?? "",
    );
    const targets = names.flatMap((name) => {
      const plain = posix.join(posix.dirname(path), name);
      const source = [plain, plain.replace(/\.js$/, ".ts"), plain.replace(/\.js$/, ".tsx")].find((one) => tree.has(one));
      return source === undefined || source === path ? [] : [source];
    });
    found.set(path, [...new Set(targets)]);
  }
  return found;
}

/** Imports from a higher floor, or from another folder of the same, as `importer → imported`; and top folders that have no floor. */
export function upwardImports(tree: SourceTree): string[] {
  const strange = new Set([...tree.keys()].map(topOf).filter((top) => floors[top] === undefined));
  const wrong = [...importsOf(tree)].flatMap(([path, targets]) =>
    targets
      .filter((target) => {
        const [from = 0, to = 0] = [floors[topOf(path)], floors[topOf(target)]];
        return from < 8 && (to > from || (to === from && topOf(path) !== topOf(target)));
      })
      .map((target) => `${path} → ${target}`),
  );
  return [...[...strange].map((top) => `${top}: has no floor`), ...wrong];
}

/** Groups of files that reach each other by their imports, as `a · b`. */
export function circles(tree: SourceTree): string[] {
  const imports = importsOf(tree);
  const reached = new Map<string, Set<string>>();
  // Files that are in no circle fall away from both ends, until nothing more does: what is left is searched.
  const left = new Set(tree.keys());
  for (let before = -1; before !== left.size;) {
    before = left.size;
    const imported = new Set([...left].flatMap((path) => imports.get(path) ?? []));
    for (const path of left) if (!imported.has(path) || !imports.get(path)?.some((target) => left.has(target))) left.delete(path);
  }
  for (const path of left) {
    const seen = new Set<string>();
    const next = [path];
    for (let at = next.pop(); at !== undefined; at = next.pop())
      for (const target of imports.get(at) ?? []) {
        if (seen.has(target) || !left.has(target)) continue;
        seen.add(target);
        next.push(target);
      }
    reached.set(path, seen);
  }
  const groups = [...reached].flatMap(([path, seen]) =>
    seen.has(path)
      ? [
          [...seen]
            .filter((other) => reached.get(other)?.has(path))
            .toSorted()
            .join(" · "),
        ]
      : [],
  );
  return [...new Set(groups)];
}

/** Folders that hold more than `most` files themselves, with their number. */
export function crowdedFolders(tree: SourceTree, most: number): string[] {
  const counts = new Map<string, number>();
  for (const path of tree.keys()) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder}: ${count}`);
}

export const filesIn = (tree: SourceTree, folder: string): string[] => [...tree.keys()].filter((path) => path.startsWith(`${folder}/`));
