/** A filter for a build context after its `.dockerignore`: the last pattern that matches decides, `!` takes back. Source: Docker docs, ".dockerignore file". */
export function dockerIgnore(text: string): (path: string) => boolean {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keep: line.startsWith("!"), pattern: toPattern(line.replace(/^!/, "").replace(/^\/|\/$/g, "")) }));
  return (path) => {
    if (path === "Dockerfile" || path === ".dockerignore") return false;
    let ignored = false;
    for (const { keep, pattern } of rules) if (pattern.test(path)) ignored = !keep;
    return ignored;
  };
}

function toPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|\\]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : `\\${part}`;
  });
  return new RegExp(`^${source}(?:/.*)?$`);
}
