import type { Draw } from "../draw.ts";
import type { Level } from "../family.ts";
import { text } from "../text.ts";

export interface Shape {
  readonly program: string;
  readonly least: number;
  readonly separator: string;
}

/**
 * A sentence at the end, and Python that changes `people`, what was read, `rows`, a list of (name, points) in the order of printing, or `lines`.
 */
export interface Twist {
  readonly name: string;
  readonly asked: string;
  readonly people?: string;
  readonly rows?: string;
  readonly lines?: string;
}

function twists(d: Draw, { least }: Shape): Twist[] {
  const letter = d.pick(["a", "b", "d", "m", "o"]);
  const most = least + d.int(10, 40);
  const room = d.int(3, 6);
  return [
    {
      name: "out",
      asked: "A line may have `out` in place of the points: whoever has such a line is left out, whatever other lines say.",
      people: text`
        gone = {name for name, points in people if points is None}
        people = [row for row in people if row[0] not in gone]
      `,
    },
    {
      name: "added",
      asked: "Lines with the same name are about one person, whose points are added up before anything else is done.",
      people: text`
        sums = {}
        for name, points in people:
            sums[name] = sums.get(name, 0) + points
        people = list(sums.items())
      `,
    },
    { name: "reversed", asked: "Print the lines in the opposite order, the last one first.", lines: "lines = lines[::-1]" },
    {
      name: "left-out",
      asked: `Leave out everybody whose name begins with \`${letter}\`.`,
      rows: `rows = [row for row in rows if not row[0].lower().startswith("${letter}")]`,
    },
    { name: "capitals", asked: "Write the names in capitals.", rows: "rows = [(name.upper(), points) for name, points in rows]" },
    {
      name: "capped",
      asked: `Whoever has more than ${most} points is printed with ${most}, in the same place as without this.`,
      rows: `rows = [(name, min(points, ${most})) for name, points in rows]`,
    },
    {
      name: "counted",
      asked: "Before all other lines, print a line with only the number of those lines.",
      lines: "lines = [str(len(lines)), *lines]",
    },
    {
      name: "numbered",
      asked: "Begin each line with its number, a full stop and a space: `1. `, `2. ` and so on.",
      lines: 'lines = [f"{i}. {line}" for i, line in enumerate(lines, 1)]',
    },
    {
      name: "shortened",
      asked: `Where there are more than ${room} lines, print only the first ${room}, and then \`and N more\`, N being how many are missing.`,
      lines: text`
        if len(lines) > ${room}:
            lines = [*lines[:${room}], f"and {len(lines) - ${room}} more"]
      `,
    },
  ];
}

/** Twists that touch the lines are asked for last and happen last, so that "each line" and "all other lines" mean what is printed. */
export function drawTwists(d: Draw, shape: Shape, level: Level): Twist[] {
  const all = twists(d, shape);
  const ofPeople = all.filter((twist) => twist.people !== undefined);
  const ofRows = all.filter((twist) => twist.rows !== undefined);
  const ofLines = all.filter((twist) => twist.lines !== undefined);
  if (level === "easy") return [d.pick([...ofRows, ...ofLines].filter(({ name }) => name !== "shortened"))];
  if (level === "medium") return [d.pick(ofRows), d.pick(ofLines)];
  const two = d.some(ofRows, 2);
  return [...ofPeople, ...ofRows.filter((twist) => two.includes(twist)), ...d.some(ofLines, 3)];
}
