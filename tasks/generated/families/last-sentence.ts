import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";
import { people } from "../words.ts";

/** A short program whose instruction ends with a sentence that changes what it prints. */
export const lastSentence: Family = {
  name: "last-sentence",
  summary: "write a small program; the last sentences of the instruction change what it prints",
  split: "test",
  tags: ["instruction", "python"],
  draw,
};

interface Shape {
  readonly program: string;
  readonly least: number;
  readonly separator: string;
}

/** A sentence at the end, and Python that changes `rows`, a list of (name, points) in the order of printing, or `lines`. */
interface Twist {
  readonly name: string;
  readonly asked: string;
  readonly rows?: string;
  readonly lines?: string;
}

function twists(d: Draw, { least }: Shape): Twist[] {
  const letter = d.pick(["a", "b", "d", "m", "o"]);
  const most = least + d.int(10, 40);
  return [
    { name: "reversed", asked: "Print the lines in the opposite order, the last one first.", lines: "lines = lines[::-1]" },
    { name: "capitals", asked: "Write the names in capitals.", rows: "rows = [(name.upper(), points) for name, points in rows]" },
    {
      name: "left-out",
      asked: `Leave out everybody whose name begins with \`${letter}\`.`,
      rows: `rows = [row for row in rows if not row[0].lower().startswith("${letter}")]`,
    },
    {
      name: "capped",
      asked: `Whoever has more than ${most} points is printed with ${most}.`,
      rows: `rows = [(name, min(points, ${most})) for name, points in rows]`,
    },
    {
      name: "counted",
      asked: "Print a line with nothing but the number of lines before all others.",
      lines: "lines = [str(len(lines)), *lines]",
    },
    {
      name: "numbered",
      asked: "Begin each line with its number, a full stop and a space: `1. `, `2. ` and so on.",
      lines: 'lines = [f"{i}. {line}" for i, line in enumerate(lines, 1)]',
    },
  ];
}

/** Twists that touch the lines are asked for last and happen last, so that "each line" and "all others" mean what is printed. */
function drawTwists(d: Draw, shape: Shape, level: Level): Twist[] {
  const all = twists(d, shape);
  const ofRows = all.filter((twist) => twist.rows !== undefined);
  const ofLines = all.filter((twist) => twist.lines !== undefined);
  if (level === "easy") return [d.pick(all)];
  return [...d.some(ofRows, level === "medium" ? 1 : 2), d.pick(ofLines)];
}

function draw(d: Draw, level: Level): TaskDraft {
  const shape: Shape = {
    program: d.pick(["roster.py", "ranking.py", "board.py", "invite.py"]),
    least: d.int(10, 60),
    separator: d.pick([": ", " - ", ";", " has "]),
  };
  const { program, least, separator } = shape;
  const chosen = drawTwists(d, shape, level);
  const example = d.some(people, 6).map((name) => `${name} ${d.int(0, least * 2)}`).join("\n"); // prettier-ignore
  const base = [
    `${level === "easy" ? "Mend" : "Write"} \`${program}\`. It reads lines of a name, a space and a whole number of points from standard input, like those in \`points.txt\`.`,
    `It keeps whoever has at least ${least} points.`,
    `For each it prints the name, then \`${separator}\`, then the points.`,
    "The most points come first; equal points are in the alphabetical order of the names.",
  ];
  const filler = [
    "Names are single words.",
    "Empty lines in the input are skipped.",
    "Without anybody to print it prints nothing and ends with exit code 0, whatever is said below.",
    "The program is started by another one, so it prints nothing else.",
  ];
  const about = [...base, ...filler.slice(0, { easy: 2, medium: 4, hard: 4 }[level])];
  const right = writeFile(program, solution(shape, chosen));
  const begun = solution(shape, chosen.slice(0, -1));
  const early = writeFile(program, begun);
  const easy = level === "easy";
  return {
    instruction: `${about.join(" ")}\n\n${chosen.map(({ asked }) => asked).join(" ")}`,
    ...(easy && {
      directions: `\`${program}\` is there and does all but the last sentence.\n\n${directions({ [program]: begun }, { [program]: solution(shape, chosen) })}`,
    }),
    app: { "points.txt": example, ...(easy && { [program]: begun }) },
    checks: {
      prints: about[2] ?? "",
      keeps: about[1] ?? "",
      order: about[3] ?? "",
      "empty-lines": about[5] ?? "",
      ...(level !== "easy" && { nobody: about[6] ?? "" }),
      ...Object.fromEntries(chosen.map(({ name, asked }) => [name, asked])),
    },
    verify: verifier(shape, chosen, level),
    solve: right,
    wrong: {
      "stops-reading-early": early,
      ...(easy && { "keeps-too-few": writeFile(program, swap(solution(shape, chosen), ">=", ">")) }),
      "sorts-by-name": writeFile(program, solution(shape, chosen).replace("key=lambda row: (-row[1], row[0])", "key=lambda row: row[0]")),
    },
    plan: {
      steps: [
        { say: "I look at the example.", calls: [bash("cat points.txt")], check: false },
        { say: "I write the program.", calls: [bash(right)], check: false },
        { say: "I run it on the example.", calls: [bash(`python3 ${program} < points.txt`)], check: true },
      ],
      answer: `\`${program}\` does what was asked, the last sentence too.`,
      slip: [{ say: "I write the program.", calls: [bash(early)], check: false }],
      claims: [program],
    },
  };
}

function body({ least, separator }: Shape, chosen: readonly Twist[]): string {
  return text`
    rows = sorted((row for row in people if row[1] >= ${least}), key=lambda row: (-row[1], row[0]))
    ${chosen.flatMap(({ rows }) => rows ?? []).join("\n")}
    lines = [f"{name}${separator}{points}" for name, points in rows]
    if lines:
        ${chosen.flatMap(({ lines }) => lines ?? []).join("\n") || "pass"}
  `;
}

function solution(shape: Shape, chosen: readonly Twist[]): string {
  return text`
    import sys

    people = [(name, int(points)) for name, points in (line.split() for line in sys.stdin if line.strip())]
    ${body(shape, chosen)}
    for line in lines:
        print(line)
  `;
}

function verifier(shape: Shape, chosen: readonly Twist[], level: Level): string {
  const { program, least } = shape;
  return text`
    NAMES = ${JSON.stringify(people)}


    def wanted(people):
        ${body(shape, chosen)}
        return lines


    def compare(people, blank=False):
        stdin = "".join(f"{name} {points}\n" + ("\n" if blank else "") for name, points in people)
        same(output(["python3", "${program}"], stdin=stdin).splitlines(), wanted(people), f"for {people}")


    def drawn():
        return [(name, rng.choice([rng.randint(0, ${least * 2 + 60}), ${least}, ${least - 1}])) for name in rng.sample(NAMES, rng.randint(3, len(NAMES)))]


    @check("prints")
    def _():
        compare([("zed", ${least + 1})])


    @check("keeps")
    def _():
        compare([("zed", ${least - 1}), ("kim", ${least}), ("lou", ${least + 1})])


    @check("order")
    def _():
        compare([(name, ${least}) for name in reversed(NAMES)])
        compare([(name, ${least} + i) for i, name in enumerate(NAMES)])


    @check("empty-lines")
    def _():
        compare(drawn(), blank=True)
    ${
      level === "easy"
        ? ""
        : text`


      @check("nobody")
      def _():
          compare([("zed", ${least - 1})])
          compare([])
    `
    }
    ${chosen
      .map(
        ({ name }) => text`


      @check("${name}")
      def _():
          for _ in range(8):
              compare(drawn())
    `,
      )
      .join("\n\n")}
  `;
}
