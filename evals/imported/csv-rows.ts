import { ConfigError } from "../../harness/errors.ts";
import { utf8Text } from "./utf8-text.ts";

/** A cell may not be longer than this: a quote that is never closed would swallow the file. */
const longestCell = 1_000_000;

/**
 * Rows of a CSV file as RFC 4180 has it, with the line each begins in; one row in memory at a time. Empty lines are skipped.
 * @throws ConfigError for a quote that is not closed, and for text that is not UTF-8
 */
export async function* csvRows(file: string): AsyncGenerator<{ line: number; cells: string[] }> {
  let [line, begun] = [1, 1];
  let cells: string[] = [];
  let cell = "";
  let state: "plain" | "quoted" | "closed" = "plain";
  let fresh = true;
  const ends = /[,\n\r"]/g;
  const finish = (): { line: number; cells: string[] } | undefined => {
    cells.push(cell);
    const row = cells.length === 1 && cells[0] === "" ? undefined : { line: begun, cells };
    [cells, cell, state] = [[], "", "plain"];
    return row;
  };
  const unclosed = (): ConfigError =>
    new ConfigError(`${file}: a quote opened in the row at line ${begun} is not closed; double each quote inside of a quoted cell.`);
  for await (const chunk of utf8Text(file)) {
    let at = 0;
    if (fresh && chunk.startsWith("\uFEFF")) at = 1;
    fresh = false;
    while (at < chunk.length) {
      if (state === "quoted") {
        const quote = chunk.indexOf('"', at);
        const upTo = quote < 0 ? chunk.length : quote;
        const piece = chunk.slice(at, upTo);
        for (let i = piece.indexOf("\n"); i >= 0; i = piece.indexOf("\n", i + 1)) line++;
        cell += piece;
        if (cell.length > longestCell) throw unclosed();
        at = upTo + 1;
        if (quote >= 0) state = "closed";
        continue;
      }
      const c = chunk[at++];
      if (c === "\n") {
        const row = finish();
        line++;
        begun = line;
        if (row) yield row;
      } else if (c === ",") {
        cells.push(cell);
        [cell, state] = ["", "plain"];
      } else if (c === '"' && state === "closed") {
        cell += '"'; // a doubled quote: the cell goes on
        state = "quoted";
      } else if (c === '"' && cell === "") state = "quoted";
      else if (c !== "\r") {
        ends.lastIndex = at;
        const end = ends.exec(chunk)?.index ?? chunk.length;
        cell += chunk.slice(at - 1, end);
        at = end;
        if (cell.length > longestCell) throw unclosed();
      }
    }
  }
  if (state === "quoted") throw unclosed();
  const last = cells.length > 0 || cell !== "" ? finish() : undefined;
  if (last) yield last;
}
