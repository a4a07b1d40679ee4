import { expect, it } from "vitest";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { drawFlawedProgram, type FlawedProgram } from "../../../tasks/generated/flawed-program.ts";

const program = (): FlawedProgram => ({
  file: "greet.sh",
  about: "`greet.sh` greets.",
  uses: ["It prints hello."],
  source: "echo hello\nsh ./rest.sh",
  beside: { "rest.sh": "echo world\nexit 0" },
  flaws: (
    [
      ["one", "echo hello", "echo hi"],
      ["two", "echo world", "echo word"],
      ["three", "exit 0", "exit 1"],
    ] as const
  ).map(([name, right, wrong]) => ({
    name,
    promise: `It keeps ${name}.`,
    told: `It breaks ${name}.`,
    open: [[right, wrong]],
    half: [[right, `${wrong}-half`]],
    lazy: [[right, `${wrong} # new`]],
    ...(name === "one" && { others: { "greets-twice": [[right, "echo hello; echo hello"]] } }),
    check: "pass",
  })),
  common: "",
  alone: "pass",
  attempt: "sh greet.sh",
});

const words = { plain: "It works.", hidden: "Nobody knows why.", promised: "This must hold:" };
const draw = drawFlawedProgram([program], words);

it("plants one flaw at the easy level, two at the medium one and all at the hard one, in whichever file they are", () => {
  for (let seed = 0; seed < 20; seed++) {
    const flaws = (["easy", "medium", "hard"] as const).map((level) => {
      const { app } = draw(createDraw("flaws", seed), level);
      return Object.values(app).join("\n").match(/echo hi\b|echo word\b|exit 1/g)?.length; // prettier-ignore
    });
    expect(flaws).toEqual([1, 2, 3]);
  }
});

it("tells one flaw, or none at the hard level, and promises at the easy level what was told alone", () => {
  const [easy, medium, hard] = (["easy", "medium", "hard"] as const).map((level) => draw(createDraw("flaws", 1), level));
  expect(easy?.instruction.match(/It breaks/g)).toHaveLength(1);
  expect(medium?.instruction.match(/It breaks/g)).toHaveLength(1);
  expect(hard?.instruction).not.toContain("It breaks");
  expect(hard?.instruction).toContain("Nobody knows why.");
  expect([easy, medium, hard].map((draft) => Object.keys(draft?.checks ?? {}).length)).toEqual([2, 4, 4]);
});

it("writes all files in its solution, and in each wrong one a single kind of mistake", () => {
  const { solve, wrong } = draw(createDraw("flaws", 3), "hard");
  for (const piece of ["echo hello\n", "echo world\n", "exit 0\n"]) expect(solve).toContain(piece);
  expect(wrong["mends-half"]?.match(/-half/g)).toHaveLength(1);
  expect(wrong["changes-only-the-look"]?.match(/# new/g)).toHaveLength(1);
  expect(wrong["mends-one-flaw"]?.match(/echo hi\b|echo word\b|exit 1/g)).toHaveLength(2);
});

it("has the further mistakes of a flaw wherever its promise stands, whether the flaw is planted or not", () => {
  for (let seed = 0; seed < 10; seed++)
    for (const level of ["easy", "medium", "hard"] as const) {
      const { wrong, instruction } = draw(createDraw("flaws", seed), level);
      expect("greets-twice" in wrong).toBe(instruction.includes("It keeps one."));
      if (wrong["greets-twice"]) expect(wrong["greets-twice"]).toContain("echo hello; echo hello\n");
    }
});

it("refuses a piece that stands in none of the files", () => {
  const broken = drawFlawedProgram([() => ({ ...program(), source: "echo good day" })], words);
  expect(() => broken(createDraw("flaws", 1), "hard")).toThrow("does not stand once");
});
