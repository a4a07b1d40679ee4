/**
 * A text as it will stand in a file: backslashes are kept as written, only `\${` and `` \` `` lose theirs; the first line break and the
 * indentation that all lines share go away. A value of several lines is indented like the place it is put in.
 */
export function text(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  let whole = "";
  for (const [i, part] of parts.raw.entries()) {
    whole += part.replaceAll("\\${", "${").replaceAll("\\`", "`");
    const value = values[i];
    if (value === undefined) continue;
    const indent = /(?:^|\n)([ ]*)$/.exec(whole)?.[1] ?? "";
    whole += String(value).trimEnd().replaceAll("\n", `\n${indent}`);
  }
  const lines = whole.replace(/^\n/, "").trimEnd().split("\n");
  const shared = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length));
  return `${lines.map((line) => line.slice(Number.isFinite(shared) ? shared : 0).trimEnd()).join("\n")}\n`;
}

/** Shell that writes `content` to `path`, whatever the content is. */
export function writeFile(path: string, content: string): string {
  let mark = "END";
  while (content.split("\n").includes(mark)) mark += "_";
  return `cat > ${path} <<'${mark}'\n${content.trimEnd()}\n${mark}\n`;
}

/** A noun in the singular with its article. */
export const an = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** A program without the blank lines in the middle of a block that pieces left out have left behind. */
export const dense = (program: string): string => program.replace(/\n(?:[ ]*\n)+(?=[ ])/g, "\n");
