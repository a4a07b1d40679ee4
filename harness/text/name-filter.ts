/** A test for names from a glob: `*` any text, `?` one character, `{a,b}` one of these. The whole name must fit. */
export function nameFilter(glob: string): (name: string) => boolean {
  let depth = 0;
  const source = Array.from(glob)
    .map((letter) => {
      if (letter === "*") return ".*";
      if (letter === "?") return ".";
      if (letter === "{") return (depth += 1) && "(?:";
      if (letter === "}" && depth > 0) return (depth -= 1) >= 0 ? ")" : "";
      if (letter === "," && depth > 0) return "|";
      return letter.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
    })
    .join("");
  const pattern = new RegExp(`^${source}${")".repeat(depth)}$`, "su");
  return (name) => pattern.test(name);
}
