import { expect, it } from "vitest";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { drawRuleBook, type RuleBook } from "../../../tasks/generated/rule-book.ts";
import { swap } from "../../../tasks/generated/swap.ts";

const book = (): RuleBook => ({
  file: "greet.sh",
  intro: "Write `greet.sh`.",
  base: [
    { name: "greets", asked: "It prints hello.", mistake: ["hello", "hi"] },
    { name: "ends", asked: "It ends with 3.", mistake: ["exit 3", "exit 0"] },
  ],
  more: [
    ...["one", "two", "three", "four"].map((name) => ({ name, asked: `It knows ${name}.` })),
    { name: "five", asked: "It knows five beside the others.", hard: true as const },
  ],
  source: (asks) => `echo hello${asks("five") ? " five" : ""}\nexit 3`,
  compare: () => "def compare(active):\n    pass",
  app: () => ({}),
  look: "ls",
  attempt: "sh greet.sh",
});

it("asks for one further rule at the easy level, for three at the medium one, and for all at the hard one", () => {
  for (let seed = 0; seed < 20; seed++) {
    const checks = (["easy", "medium", "hard"] as const).map((level) =>
      Object.keys(drawRuleBook([book])(createDraw("book", seed), level).checks),
    );
    expect(checks.map(({ length }) => length)).toEqual([2 + 1 + 1, 2 + 3 + 1, 2 + 5 + 1]); // and "together"
    expect(checks.flatMap((names) => (names.includes("five") ? ["five"] : []))).toEqual(["five"]);
  }
});

it("writes the program for the rules that are asked, and each wrong one with a single mistake", () => {
  const { solve, wrong } = drawRuleBook([book])(createDraw("book", 1), "hard");
  expect(solve).toContain("echo hello five\nexit 3\n");
  expect(wrong["not-greets"]).toContain("echo hi five\nexit 3\n");
  expect(wrong["not-ends"]).toContain("echo hello five\nexit 0\n");
});

it("leaves two of the spare rules out at the hard level, and words a rule by what else is asked", () => {
  const spare = ["one", "two", "three"];
  const worded = (): RuleBook => {
    const one = book();
    return {
      ...one,
      spare,
      more: one.more.map((rule) =>
        rule.name === "five" ? { ...rule, asked: (asks) => `Five${asks("one") ? " beside one" : ""}.` } : rule,
      ),
    };
  };
  const seen = new Set<string>();
  for (let seed = 0; seed < 20; seed++) {
    const { checks } = drawRuleBook([worded])(createDraw("book", seed), "hard");
    expect(spare.filter((name) => name in checks)).toHaveLength(1);
    expect(checks["five"]).toBe("one" in checks ? "Five beside one." : "Five.");
    seen.add(Object.keys(checks).join());
  }
  expect(seen.size).toBe(3);
});

it("ships who heeds a rule by half where the rules are asked that make it wrong", () => {
  const halved = (): RuleBook => {
    const one = book();
    return {
      ...one,
      base: one.base.map((rule) => ({ ...rule, half: { [`half-${rule.name}`]: { swap: rule.mistake ?? ["", ""], ...(rule.name === "ends" && { beside: "five" }) } } })), // prettier-ignore
    };
  };
  expect(drawRuleBook([halved])(createDraw("book", 1), "hard").wrong).toMatchObject({
    "half-greets": expect.any(String),
    "half-ends": expect.any(String),
  });
  expect(drawRuleBook([halved])(createDraw("book", 1), "medium").wrong).not.toHaveProperty("half-ends");
});

it("gives the file with one of its mistakes at the easy level, says which rule it does not heed, and asks for it to be mended", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 20; seed++) {
    const { instruction, directions = "", app, wrong } = drawRuleBook([book])(createDraw("book", seed), "easy");
    const [unheeded] = ["It prints hello.", "It ends with 3."].filter((rule) => directions.includes(rule));
    seen.add(app["greet.sh"] ?? "");
    expect(app["greet.sh"]).toBe(unheeded === "It prints hello." ? "echo hi\nexit 3" : "echo hello\nexit 0");
    expect(instruction).toMatch(/^Mend `greet\.sh`\./);
    expect(Object.keys(wrong), "what is given is no wrong solution").toEqual([unheeded === "It prints hello." ? "not-ends" : "not-greets"]);
  }
  expect(seen.size).toBe(2);
  expect(drawRuleBook([book])(createDraw("book", 1), "medium").app).toEqual({});
});

it("refuses a mistake whose place does not stand in the program exactly once", () => {
  expect(swap("a b c", "b", "$&x")).toBe("a $&x c");
  expect(() => swap("a b", "c", "d")).toThrow('"c" does not stand once in the program.');
  expect(() => swap("a a", "a", "d")).toThrow('"a" does not stand once in the program.');
});
