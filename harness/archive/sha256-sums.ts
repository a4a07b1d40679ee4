import { DamagedError } from "../errors.ts";

export const sumsName = "SHA256SUMS";

/** `SHA256SUMS`, a line a file, sorted by path, as `sha256sum --check` reads it: a name with a backslash or a line break is escaped, and so is its line. */
export function sumsText(files: readonly { readonly path: string; readonly sha256: string }[]): string {
  return files
    .map(({ path, sha256 }) => {
      const name = escapeName(path);
      return `${name === path ? "" : "\\"}${sha256}  ${name}\n`;
    })
    .join("");
}

/** Path → SHA-256, in the order of the lines. @throws DamagedError for a line that `sumsText` would not write, and for a path that comes twice. */
export function parseSums(text: string): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new DamagedError(`${sumsName} does not end with a whole line.`);
  let last = "";
  for (const [i, line] of lines.entries()) {
    const [, mark, sha256 = "", name = ""] = /^(\\?)([0-9a-f]{64}) {2}(.+)$/s.exec(line) ?? [];
    const path = mark === "\\" ? unescapeName(name) : name;
    if (sha256 === "" || sumsText([{ path, sha256 }]) !== `${line}\n`)
      throw new DamagedError(`${sumsName}, line ${i + 1}, is not a digest with a name.`);
    if (i > 0 && !(last < path))
      throw new DamagedError(`${sumsName}, line ${i + 1}, is not in its place: names are sorted, and each comes once.`);
    sums.set(path, sha256);
    last = path;
  }
  return sums;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const escapeName = (path: string): string => path.replaceAll(/[\\\n\r]/g, (character) => escapes[character] ?? character);
const unescapeName = (name: string): string =>
  name.replaceAll(/\\([\\nr])/g, (_, letter: string) => (letter === "n" ? "\n" : letter === "r" ? "\r" : "\\"));
