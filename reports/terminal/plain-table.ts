import pc from "picocolors";
import stringWidth from "string-width";

/**
 * A table without lines, so that it fits a terminal and a text file. A cell may have several lines. The first column is set left, the others right unless
 * said. Made in one pass: a list may have many thousand rows.
 */
export function plainTable(head: readonly string[], rows: readonly (readonly (string | number)[])[], o: { left?: boolean } = {}): string {
  const cells = [head.map((one) => pc.bold(one)), ...rows].map((row) => row.map((cell) => String(cell).split("\n").map(measured)));
  const widths = head.map((_, column) => cells.reduce((most, row) => Math.max(most, ...(row[column] ?? []).map(({ width }) => width)), 0));
  const lines: string[] = [];
  for (const row of cells) {
    const height = Math.max(...row.map(({ length }) => length));
    for (let i = 0; i < height; i++) {
      const line = widths.map((width, column) => {
        const cell = row[column]?.[i] ?? nothing;
        const space = " ".repeat(width - cell.width);
        return column === 0 || o.left ? cell.text + space : space + cell.text;
      });
      lines.push(line.join("  ").trimEnd());
    }
  }
  return lines.join("\n");
}

interface Measured {
  readonly text: string;
  /** Columns of a terminal. */
  readonly width: number;
}

const nothing: Measured = { text: "", width: 0 };
const plain = /^[\x20-\x7e]*$/;
const measured = (text: string): Measured => ({ text, width: plain.test(text) ? text.length : stringWidth(text) });
