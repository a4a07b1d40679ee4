import pc from "picocolors";
import { displayWidth, fitText, pageWidth } from "./display-width.ts";

type Row = readonly (string | number)[];

interface TableFit {
  /** Columns that are set to the left beside the first: all, or those with such a head. */
  readonly left?: boolean | readonly string[] | undefined;
  /** Columns of a terminal that it takes at most; those of the page where none are named. */
  readonly most?: number | undefined;
  /** Heads of the columns that go where it is wider, the first first. */
  readonly dispensable?: readonly string[] | undefined;
}

/**
 * A table without lines, so that it fits a terminal and a text file, of at most the columns of the page unless said. A cell may have several lines. The first column is
 * set left, the others right unless said. A list may have many thousand rows: nothing is made for a cell but its text.
 */
export function plainTable(head: readonly string[], rows: readonly Row[], o: TableFit = {}): string {
  const lines: (readonly string[])[] = [head];
  for (const row of rows) addLines(row, lines);
  const columns = head.length;
  const toTheLeft = head.map((name, column) => column === 0 || (typeof o.left === "object" ? o.left.includes(name) : o.left === true));
  const taken = new Uint32Array(lines.length * columns);
  const widths = new Uint32Array(columns);
  for (const [i, line] of lines.entries())
    for (let column = 0; column < columns; column++) {
      const text = line[column] ?? "";
      const width = narrow.test(text) ? text.length : displayWidth(text);
      taken[i * columns + column] = width;
      if (width > (widths[column] ?? 0)) widths[column] = width;
    }
  const draw = (shown: readonly number[]): string =>
    lines
      .map((line, i) => {
        let text = "";
        for (const column of shown) {
          const room = widths[column] ?? 0;
          const width = taken[i * columns + column] ?? 0;
          const whole = line[column] ?? "";
          const cell = width > room ? cut(whole, room) : whole;
          const drawn = i === 0 ? pc.bold(cell) : cell;
          const space = room - (cell === whole ? width : displayWidth(cell));
          if (column !== shown[0]) text += " ".repeat(between);
          if (space <= 0) text += drawn;
          else text += toTheLeft[column] === true ? drawn + " ".repeat(space) : " ".repeat(space) + drawn;
        }
        return text.trimEnd();
      })
      .join("\n");
  return fitted(head, widths, o).map(draw).join("\n\n");
}

/** Cells between two columns. */
const between = 2;
/** A text is cut to no less than this before the columns behind it go below. */
const leastText = 24;

/**
 * The columns of each table, one below the other, that a table becomes whose columns are so wide: of one that is wider than may be first the dispensable
 * columns go, then its long texts are cut (`widths` becomes what they are cut to), then what is still too much goes below, with the first column again.
 */
function fitted(head: readonly string[], widths: Uint32Array, { most = pageWidth(), dispensable = [] }: TableFit): number[][] {
  let kept = head.map((_, column) => column);
  const width = (of: readonly number[]): number => of.reduce((sum, column) => sum + (widths[column] ?? 0) + between, -between);
  for (const name of dispensable) if (width(kept) > most) kept = kept.filter((column) => head[column] !== name);
  for (let over = width(kept) - most; over > 0; over--) {
    const widest = kept.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a));
    if ((widths[widest] ?? 0) <= leastText) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const [first = 0, ...others] = kept;
  const tables: number[][] = [[first]];
  for (const column of others) {
    const last = tables.at(-1) ?? [];
    if (last.length > 1 && width([...last, column]) > most) tables.push([first, column]);
    else last.push(column);
  }
  return tables;
}

/** What has colours is short, and stays. */
const cut = (text: string, width: number): string => (text.includes("\u001b") ? text : fitText(text, width));

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
