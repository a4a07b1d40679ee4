/**
 * A glob as a regular expression over a whole relative path: `*` and `?` within a name, `**` over folders, `[…]`, `{a,b}`. A pattern without a
 * slash is looked for at every depth, as people mean it. Undefined for what is no pattern (brackets that do not close).
 */
export function globPattern(glob: string): RegExp | undefined {
  const pattern = glob.replace(/^\.\//, "");
  const body = translate(pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`);
  try {
    return body === undefined ? undefined : new RegExp(`^${body}$`, "su");
  } catch {
    return undefined;
  }
}

function translate(glob: string): string | undefined {
  let out = "";
  let braces = 0;
  for (let i = 0; i < glob.length;) {
    const rest = glob.slice(i);
    const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
    if (rest.startsWith("**/")) [out, i] = [`${out}(?:[^/]+/)*`, i + 3];
    else if (rest.startsWith("**")) [out, i] = [`${out}.*`, i + 2];
    else if (rest.startsWith("*")) [out, i] = [`${out}[^/]*`, i + 1];
    else if (rest.startsWith("?")) [out, i] = [`${out}[^/]`, i + 1];
    else if (set) [out, i] = [`${out}${setOf(set[1] !== "", set[2] ?? "")}`, i + set[0].length];
    else if (rest.startsWith("{")) [out, i, braces] = [`${out}(?:`, i + 1, braces + 1];
    else if (rest.startsWith("}") && braces > 0) [out, i, braces] = [`${out})`, i + 1, braces - 1];
    else if (rest.startsWith(",") && braces > 0) [out, i] = [`${out}|`, i + 1];
    else {
      const char = String.fromCodePoint((rest.startsWith("\\") && rest.length > 1 ? rest.slice(1) : rest).codePointAt(0) ?? 0);
      i += char.length + (rest.startsWith("\\") && rest.length > 1 ? 1 : 0);
      out += char.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
    }
  }
  return braces === 0 ? out : undefined;
}

const setOf = (negated: boolean, members: string): string => `[${negated ? "^/" : ""}${members.replace(/[\\\]^[]/g, "\\$&")}]`;
