import { displayWidth } from "../../../reports/text/display-width.ts";

/** A terminal as far as progress needs one: wraps at its width, keeps what scrolled away, knows the moves and clears that a block uses. Throws on any other. */
export function createScreen(columns: number, rows: number) {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  const listeners = new Set<() => void>();
  const size = { columns, rows };
  const writes: string[] = [];
  const down = (): void => {
    row++;
    if (row === lines.length) lines.push("");
  };
  const put = (char: string): void => {
    const width = displayWidth(char);
    if (column + width > size.columns) {
      column = 0;
      down();
    }
    const line = (lines[row] ?? "").padEnd(column);
    lines[row] = line.slice(0, column) + char + line.slice(column + 1);
    column += width;
  };
  const escape = (code: string): void => {
    const up = /^\[(\d+)A$/.exec(code)?.[1];
    if (up !== undefined) row = Math.max(lines.length - size.rows, row - Number(up), 0);
    else if (code === "[K") lines[row] = (lines[row] ?? "").slice(0, column);
    else if (code === "[J") {
      lines[row] = (lines[row] ?? "").slice(0, column);
      lines.splice(row + 1);
    } else if (!/^\[(\?2026[hl]|[\d;]*m)$/.test(code)) throw new Error(`unknown escape sequence ${JSON.stringify(code)}`);
  };
  return {
    isTTY: true,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    /** Every write, as it came. */
    writes,
    /** Everything from the first line on. */
    text: () => lines.map((line) => line.trimEnd()).filter((line, i) => line !== "" || i < lines.length - 1),
    write(text: string): void {
      writes.push(text);
      // eslint-disable-next-line no-control-regex -- what a terminal reads
      for (const [piece] of text.matchAll(/\u001b\[[?\d;]*[A-Za-z]|./gsu)) {
        if (piece.startsWith("\u001b")) escape(piece.slice(1));
        else if (piece === "\r") column = 0;
        else if (piece === "\n") {
          down();
          column = 0;
        } else put(piece);
      }
    },
    on: (_event: "resize", listener: () => void): void => void listeners.add(listener),
    off: (_event: "resize", listener: () => void): void => void listeners.delete(listener),
    /** Narrower: rows that no longer fit wrap, as in terminals of today. The cursor is expected below the last row. */
    resize(to: { columns: number; rows: number }): void {
      const wrapped = lines.flatMap((line) => line.match(new RegExp(`.{1,${to.columns}}`, "gu")) ?? [""]);
      lines.splice(0, lines.length, ...wrapped);
      row = lines.length - 1;
      Object.assign(size, to);
      for (const listener of listeners) listener();
    },
    listeners,
  };
}
