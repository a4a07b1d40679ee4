import pc from "picocolors";
import stringWidth from "string-width";

/**
 * A table without lines, so that it fits a terminal and a text file. A cell may have several lines. The first column is set left, the others right unless
 * said. A list may have many thousand rows: nothing is made for a cell but its text.
 */
export function plainTable(head: readonly string[], rows: readonly (readonly (string | number)[])[], o: { left?: boolean } = {}): string {
  const lines = [head.map((one) => pc.bold(one)), ...rows.flatMap(linesOf)];
  const widths = head.map((_, column) => lines.reduce((most, line) => Math.max(most, width(line[column])), 0));
  const set = (text: string, column: number): string => {
    const space = " ".repeat((widths[column] ?? 0) - width(text));
    return column === 0 || o.left ? text + space : space + text;
  };
  return lines
    .map((line) =>
      widths
        .map((_, column) => set(line[column] ?? "", column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A row whose cells have several lines is so many rows. */
function linesOf(row: readonly (string | number)[]): readonly string[][] {
  const cells = row.map(String);
  if (!cells.some((cell) => cell.includes("\n"))) return [cells];
  const split = cells.map((cell) => cell.split("\n"));
  const height = Math.max(...split.map(({ length }) => length));
  return Array.from({ length: height }, (_, i) => split.map((parts) => parts[i] ?? ""));
}

const plain = /^[\x20-\x7e]*$/;
/** Columns of a terminal. */
const width = (text = ""): number => (plain.test(text) ? text.length : stringWidth(text));
