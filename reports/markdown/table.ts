/** A table of Markdown; its cells are inline already. `left`: of one that is texts, all columns; else the first alone. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { left = false }: { readonly left?: boolean } = {},
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (left || i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
