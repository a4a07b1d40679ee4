import stringWidth from "string-width";
import { layTable } from "./lay-table.ts";

/**
 * A table without lines, so that it fits a terminal and a text file. A cell may have several lines. The first column is set left, the others right unless
 * said. A list may have many thousand rows: nothing is made for a cell but its text.
 */
export const plainTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[], o: { left?: boolean } = {}): string =>
  layTable(head, rows, { left: o.left, widthOf: stringWidth }) ?? ""; // never: the width of any text is known
