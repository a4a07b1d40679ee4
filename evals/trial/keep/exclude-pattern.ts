/**
 * What patterns of tar's `--exclude` leave out: a pattern may match from the beginning of any component on, `*` and `?` match slashes too, and what is
 * below something left out is left out. Source: GNU tar manual, "Controlling Pattern-Matching" (the defaults of exclusion).
 */
export function excludes(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => toTest(pattern.replace(/^\.\//, "").replace(/\/+$/, "")));
  return (path) => {
    const parts = path.split("/");
    return parts.some((_, i) => {
      const rest = parts.slice(i);
      return rest.some((__, n) => tests.some((test) => test.test(rest.slice(0, n + 1).join("/"))));
    });
  };
}

function toTest(glob: string): RegExp {
  const source = glob.replace(
    /\[(!?)((?:\\.|[^\]\\])+)\]|[*?\\^$.|+(){}[\]]/g,
    (part, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `[${not ? "^" : ""}${set.replace(/[\\\]^]/g, "\\$&")}]`;
      return part === "*" ? "[^]*" : part === "?" ? "[^]" : `\\${part}`;
    },
  );
  return new RegExp(`^${source}$`);
}
