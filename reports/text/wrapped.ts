import { oneLine } from "../../harness/text/printable.ts";
import { displayWidth, fitWidth, pageWidth } from "./display-width.ts";

/** Of a line with a path that a reader may copy. */
const longest = 100;

/** A sentence in lines of at most so many columns, 80 where none are named; a longer word has a line of its own, and is cut where it is longer than that. */
export function wrapped(text: string, indent: string, width = 80): string {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    if (line !== "" && displayWidth(`${indent}${line} ${word}`) > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line].map((one) => fitWidth(one, longest)).join("\n");
}

/** A line as it is where it fits; else in several, those after the first two columns further in. */
export function hanging(line: string, width = pageWidth()): string {
  if (displayWidth(line) <= width) return line;
  const indent = /^ */.exec(line)?.[0] ?? "";
  const [first = "", ...more] = wrapped(line.trimStart(), `${indent}  `, width).split("\n");
  return [indent + first.trimStart(), ...more].join("\n");
}

/** A recorded line in rows of at most so many columns, each broken behind a blank where one is near its end. */
export function folded(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = line;
  while (displayWidth(rest) > width) {
    const fits = fitWidth(rest, width).slice(0, -1); // without its mark
    const blank = fits.lastIndexOf(" ") + 1;
    const row = blank > fits.length / 2 ? fits.slice(0, blank) : fits;
    if (row === "") break;
    rows.push(row.trimEnd());
    rest = rest.slice(row.length);
  }
  return [...rows, rest];
}
