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

/**
 * A sentence at the end, and Python that changes `people`, what was read, `rows`, a list of (name, points) in the order of printing, or `lines`.
 */
interface Twist {
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
function drawTwists(d: Draw, shape: Shape, level: Level): Twist[] {
  const all = twists(d, shape);
  const ofPeople = all.filter((twist) => twist.people !== undefined);
  const ofRows = all.filter((twist) => twist.rows !== undefined);
  const ofLines = all.filter((twist) => twist.lines !== undefined);
  if (level === "easy") return [d.pick([...ofRows, ...ofLines].filter(({ name }) => name !== "shortened"))];
  if (level === "medium") return [d.pick(ofRows), d.pick(ofLines)];
  const two = d.some(ofRows, 2);
  return [...ofPeople, ...ofRows.filter((twist) => two.includes(twist)), ...d.some(ofLines, 3)];
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
  const inOrder = "All that follows is done in the order in which it is said, each step on what the one before it has left.";
  const filler = [
    "Names are single words.",
    "Empty lines in the input are skipped.",
    "Without anybody to print it prints nothing and ends with exit code 0, whatever is said below.",
    "The program is started by another one, so it prints nothing else.",
  ];
  const about = [...base, ...filler.slice(0, { easy: 2, medium: 4, hard: 4 }[level])];
  const whole = solution(shape, chosen);
  const right = writeFile(program, whole);
  const begun = solution(shape, chosen.slice(0, -1), { lines: chosen.some(({ lines }) => lines !== undefined) });
  const said = chosen.flatMap(({ asked, people }, i) =>
    people === undefined && chosen[i - 1]?.people !== undefined ? [inOrder, asked] : [asked],
  );
  const has = (twist: string): boolean => chosen.some(({ name }) => name === twist);
  const early = writeFile(program, begun);
  const easy = level === "easy";
  return {
    instruction: `${about.join(" ")}\n\n${said.join(" ")}`,
    ...(easy && {
      directions: `\`${program}\` is there and does all but the last sentence.\n\n${directions({ [program]: begun }, { [program]: whole })}`,
    }),
    app: { "points.txt": example, ...(easy && { [program]: begun }) },
    checks: {
      prints: about[2] ?? "",
      keeps: about[1] ?? "",
      order: about[3] ?? "",
      "empty-lines": about[5] ?? "",
      ...(level !== "easy" && { nobody: about[6] ?? "" }),
      ...Object.fromEntries(chosen.map(({ name, asked }) => [name, asked])),
      ...(level === "hard" && { "in-order": inOrder }),
    },
    verify: verifier(shape, chosen, level),
    solve: right,
    wrong: {
      "stops-reading-early": early,
      ...(!has("capped") && { "keeps-too-few": writeFile(program, swap(whole, ">=", ">")) }),
      "leaves-equal-ones-as-they-come": writeFile(program, swap(whole, "key=lambda row: (-row[1], row[0])", "key=lambda row: -row[1]")),
      ...(has("capped") && { "caps-before-it-sorts": writeFile(program, solution(shape, chosen, { capsFirst: true })) }),
      ...(!easy &&
        has("counted") && {
          "counts-nobody": writeFile(
            program,
            swap(whole, "if lines:", has("left-out") ? `if any(points >= ${least} for _, points in people):` : "if people:"),
          ),
        }),
      ...(level === "hard" && {
        "in-an-order-of-its-own": writeFile(program, solution(shape, [...chosen.slice(0, -3), ...chosen.slice(-3).reverse()])),
      }),
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

/** How the program may be unlike the right one: with the place for twists of lines without one, or with the cap before the order. */
interface Made {
  readonly lines?: boolean;
  readonly capsFirst?: boolean;
}

function body({ least, separator }: Shape, chosen: readonly Twist[], made: Made = {}): string {
  const cap = made.capsFirst ? chosen.filter(({ name }) => name === "capped") : [];
  const ofLines = chosen.flatMap(({ lines }) => lines?.trimEnd() ?? []);
  const whole = [
    ...chosen.flatMap(({ people }) => people?.trimEnd() ?? []),
    ...cap.flatMap(({ rows }) => rows?.replaceAll("rows", "people") ?? []),
    `rows = sorted((row for row in people if row[1] >= ${least}), key=lambda row: (-row[1], row[0]))`,
    ...chosen.filter((twist) => !cap.includes(twist)).flatMap(({ rows }) => rows ?? []),
    `lines = [f"{name}${separator}{points}" for name, points in rows]`,
  ];
  if (ofLines.length === 0 && !made.lines) return whole.join("\n");
  return text`
    ${whole.join("\n")}
    if lines:
        ${ofLines.join("\n") || "pass"}
  `;
}

function solution(shape: Shape, chosen: readonly Twist[], made: Made = {}): string {
  const points = chosen.some(({ name }) => name === "out") ? 'None if points == "out" else int(points)' : "int(points)";
  return text`
    import sys

    people = [(name, ${points}) for name, points in (line.split() for line in sys.stdin if line.strip())]
    ${body(shape, chosen, made)}
    for line in lines:
        print(line)
  `;
}

/** Python: people who show by themselves whether a twist is heeded. */
function shown({ least }: Shape, chosen: readonly Twist[]): Record<string, string[]> {
  const asked = (name: string): string => chosen.find((twist) => twist.name === name)?.asked ?? "";
  const letter = /`(.)`/.exec(asked("left-out"))?.[1] ?? "";
  const most = Number(/\d+/.exec(asked("capped"))?.[0]);
  const three = `compare([("kim", ${least}), ("zed", ${least + 1}), ("lou", ${least + 2})])`;
  return {
    out: [
      `compare([("kim", ${least}), ("zed", None), ("lou", ${least + 2})])`,
      `compare([("kim", ${least + 1}), ("zed", ${least}), ("kim", None)])`,
      `compare([("zed", None), ("zed", ${least})])`,
    ],
    added: [
      `compare([("kim", ${least - 1}), ("zed", ${least}), ("lou", ${least + 9}), ("kim", ${least})])`,
      "compare([(name, points) for name, points in drawn() + drawn()])",
    ],
    reversed: [three],
    capitals: [three],
    "left-out": [
      `compare([("${letter}ora", ${least + 1})])`,
      `compare([("${letter}ora", ${least + 1}), ("k${letter}", ${least + 1}), ("zed", ${least})])`,
    ],
    capped: [`compare([("kim", ${most + 1}), ("lou", ${most + 5}), ("zed", ${most})])`],
    counted: [three],
    numbered: [three],
    shortened: [
      `for count in range(1, 9):\n    compare([(name, ${least} + i) for i, name in enumerate("z" * (i + 1) for i in range(count))])`,
    ],
  };
}

function verifier(shape: Shape, chosen: readonly Twist[], level: Level): string {
  const { program, least } = shape;
  const letter = /`(.)`/.exec(chosen.find(({ name }) => name === "left-out")?.asked ?? "")?.[1];
  return text`
    NAMES = ${JSON.stringify(people)}


    def wanted(people):
        ${body(shape, chosen)}
        return lines


    def compare(people, blank=False):
        stdin = "".join(f"{name} {'out' if points is None else points}\n" + ("\n" if blank else "") for name, points in people)
        if blank:
            stdin = "\n" + stdin
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
          ${letter === undefined ? "" : `compare([("${letter}ora", ${least + 1}), ("zed", ${least - 1})])`}
    `
    }
    ${chosen
      .map(
        ({ name }) => text`


      @check("${name}")
      def _():
          ${(shown(shape, chosen)[name] ?? []).join("\n")}
          for _ in range(${level === "hard" ? 4 : 7}):
              compare(drawn())
    `,
      )
      .join("\n\n")}
    ${
      level === "hard"
        ? text`


      @check("in-order")
      def _():
          for _ in range(4):
              people = drawn() + drawn()
              compare(people + [(name, None) for name in rng.sample(NAMES, rng.choice([0, 3, 5]))])
          compare([(name, ${least}) for name in NAMES])
    `
        : ""
    }
  `;
}
