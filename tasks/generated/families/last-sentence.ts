import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { solution } from "../last-sentence/program.ts";
import { drawTwists, type Shape } from "../last-sentence/twists.ts";
import { verifier } from "../last-sentence/verifier.ts";
import { swap } from "../swap.ts";
import { writeFile } from "../text.ts";
import { people } from "../words.ts";

/** A short program whose instruction ends with a sentence that changes what it prints. */
export const lastSentence: Family = {
  name: "last-sentence",
  summary: "write a small program; the last sentences of the instruction change what it prints",
  split: "test",
  tags: ["instruction", "python"],
  draw,
};

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
