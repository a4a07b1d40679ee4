import type { Level } from "../family.ts";
import { text } from "../text.ts";
import { people } from "../words.ts";
import { body } from "./program.ts";
import type { Shape, Twist } from "./twists.ts";

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

export function verifier(shape: Shape, chosen: readonly Twist[], level: Level): string {
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
