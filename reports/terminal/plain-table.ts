import Table from "cli-table3";
import pc from "picocolors";

const none = "";
const chars = {
  top: none,
  "top-mid": none,
  "top-left": none,
  "top-right": none,
  bottom: none,
  "bottom-mid": none,
  "bottom-left": none,
  "bottom-right": none,
  left: none,
  "left-mid": none,
  mid: none,
  "mid-mid": none,
  right: none,
  "right-mid": none,
  middle: "  ",
};

/** A table without lines, so that it fits a terminal and a text file. A cell may have several lines. The first column is set left, the others right unless said. */
export function plainTable(head: readonly string[], rows: readonly (readonly (string | number)[])[], o: { left?: boolean } = {}): string {
  const table = new Table({
    head: head.map((one) => pc.bold(one)),
    chars,
    colAligns: head.map((_, i) => (i === 0 || o.left ? "left" : "right")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
