import pc from "picocolors";
import stringWidth from "string-width";

type Row = readonly (string | number)[];

export interface TableLayout {
  /** All columns are set to the left, not the first alone. */
  readonly left?: boolean | undefined;
  /** How many columns of a terminal a text takes that is not `narrow`. */
  readonly widthOf?: (text: string) => number;
}

/**
 * As `plainTable`; undefined where a text is not narrow and nobody says how wide it is: what knows that takes longer to be loaded than a long table to be
 * laid, and most need it for nothing.
 */
export function layTable(head: readonly string[], rows: readonly Row[], { left = false, widthOf }: TableLayout): string | undefined {
  const lines: (readonly string[])[] = [head];
  for (const row of rows) addLines(row, lines);
  const columns = head.length;
  const taken = new Uint32Array(lines.length * columns);
  const widths = new Uint32Array(columns);
  for (const [i, line] of lines.entries())
    for (let column = 0; column < columns; column++) {
      const text = line[column] ?? "";
      const width = narrow.test(text) ? text.length : widthOf?.(text);
      if (width === undefined) return undefined;
      taken[i * columns + column] = width;
      if (width > (widths[column] ?? 0)) widths[column] = width;
    }
  return lines
    .map((line, i) => {
      let text = "";
      for (let column = 0; column < columns; column++) {
        const cell = line[column] ?? "";
        const shown = i === 0 ? pc.bold(cell) : cell;
        const space = (widths[column] ?? 0) - (taken[i * columns + column] ?? 0);
        if (column > 0) text += "  ";
        if (space === 0) text += shown;
        else text += left || column === 0 ? shown + " ".repeat(space) : " ".repeat(space) + shown;
      }
      return text.trimEnd();
    })
    .join("\n");
}

/** A column for each character: ASCII, Latin-1 but for the space that may not break and the hyphen that is not seen, and what stands for a cut text. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\xff…]*$/;

/** A row whose cells have several lines is so many rows. */
function addLines(row: Row, lines: (readonly string[])[]): void {
  const cells = row.map((cell) => (typeof cell === "string" ? cell : String(cell)));
  if (!cells.some((cell) => cell.includes("\n"))) return void lines.push(cells);
  const split = cells.map((cell) => cell.split("\n"));
  const height = Math.max(...split.map(({ length }) => length));
  for (let i = 0; i < height; i++) lines.push(split.map((parts) => parts[i] ?? ""));
}

/**
 * A table without lines, so that it fits a terminal and a text file. A cell may have several lines. The first column is set left, the others right unless
 * said. A list may have many thousand rows: nothing is made for a cell but its text.
 */
export const plainTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[], o: { left?: boolean } = {}): string =>
  layTable(head, rows, { left: o.left, widthOf: stringWidth }) ?? ""; // never: the width of any text is known
