import { describe, expect, it } from "vitest";
import { compare, type Comparison } from "../../../evals/compare/compare.ts";
import { describeComparison } from "../../../reports/terminal/comparison/comparison.ts";
import { displayWidth } from "../../../reports/text/display-width.ts";
import { job, suite, type Scores } from "../../evals/compare/scored-job.ts";

const told = (comparison: Comparison, columns?: number): string[] => describeComparison(comparison, { columns }).split("\n");
/** Nine configurations whose rates rise, with names that are too long for a narrow terminal. */
const nine = (from = 0): Comparison =>
  compare([
    job(
      Object.fromEntries(
        Array.from({ length: 9 }, (_, at): [string, Scores] => [
          `a-configuration-whose-name-goes-on-and-on-with-effort-${at}`,
          suite(40, (i) => Number(i < from + at * 4)),
        ]),
      ),
    ),
  ]);
const pair = (o: Parameters<typeof job>[1] = {}): Comparison =>
  compare([job({ careful: suite(20, () => 1, 3), hasty: suite(20, (i) => Number(i > 11), 3) }, o)]);

describe("a comparison in the terminal", () => {
  it("is of two a sentence, what was compared, a row each with a bar, three tasks, and where to look next", () => {
    const lines = told(pair());
    expect(lines[0]).toMatch(/^hasty is worse than careful by 60 points \(95 % interval \d+ to \d+, p [=<] \.\d+\)\.$/);
    expect(lines[1]).toBe("20 tasks × 3 repeats · local/m · exploratory: under 30 tasks");
    expect(lines.slice(3, 6)).toEqual([
      "         passed   rate                          tokens/trial  time/trial",
      "careful   60/60  100 %  ▕████████████████████▏            15       0.1 s",
      "hasty     24/60   40 %  ▕████████            ▏            15       0.1 s",
    ]);
    expect(lines.slice(6, 13)).toEqual([
      "No middleware acted.",
      "",
      "12 tasks worse, 0 better, 8 the same",
      "  t00   3/3 → 0/3",
      "  t01   3/3 → 0/3",
      "  t02   3/3 → 0/3",
      "  … 9 more: --all",
    ]);
    expect(lines.at(-1)).toBe("Why: forge analyze jobs/a     Side by side: forge view jobs/a     All figures: --all, --json");
    expect(lines.length).toBeLessThanOrEqual(25);
  });

  it.each([80, 100, undefined, 300])("takes no more columns than the terminal's, and never more than 100: %s", (columns) => {
    for (const comparison of [pair(), nine(), nine(4)])
      for (const line of told(comparison, columns)) expect(displayWidth(line)).toBeLessThanOrEqual(Math.min(100, columns ?? 100));
  });

  it("ranks nine, says whom the first is better than, and draws who is better than whom in one matrix", () => {
    const lines = told(nine());
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.slice(0, 2).join(" ")).toMatch(/effort-8 is better than \d of the 8 others; no difference shown for \d/);
    const at = lines.findIndex((line) => / passed +rate +95 % /.test(line));
    expect(lines[at + 1]).toMatch(/^a-configura….*effort-8 +32\/40 +80 % +\d+ to \d+/);
    const matrix = lines.findIndex((line) => /^ +1 +2 +3 +4 +5 +6 +7 +8 +9$/.test(line));
    expect(lines[matrix + 1]).toMatch(/^1 a-con.*effort-8 +· .* ▲$/);
    expect(lines[matrix + 9]).toMatch(/^9 a-con.*effort-0 +▼ /);
    expect(lines.slice(matrix + 10).join(" ")).toMatch(
      /▲ better, ▼ worse than the one of the column; · no difference shown: 40 tasks can show differences of [\d.]+ to [\d.]+ points or more/,
    );
  });

  it("holds all against a baseline in the ranking, and draws no matrix", () => {
    const scores = { base: suite(40, (i) => Number(i < 20)), up: suite(40, () => 1), down: suite(40, () => 0) };
    const lines = told(compare([job(scores)], { baseline: "base" }));
    expect(lines[0]).toBe("Compared with base: 1 better (up), 1 worse (down).");
    expect(lines.filter((line) => /[▲▼] [+−]\d+ \(/.test(line))).toHaveLength(2);
    expect(lines.join("\n")).not.toContain("of the column");
  });

  it("says in the first line why a verdict is withheld, and draws no marks", () => {
    expect(told(pair({ simulated: true }))[0]).toBe("Verdict withheld: the model is simulated.");
    const made = job({ a: suite(20, () => 0), b: suite(20, () => 1), c: suite(20, () => 1) }, { simulated: true });
    expect(describeComparison(compare([made]))).not.toMatch(/[▲▼]/);
  });

  it("ends its first line before the interval where it would not fit a narrow terminal", () => {
    const scores = { "careful-with-a-long-name": suite(20, () => 1, 3), "hasty-with-a-long-name (b)": suite(20, (i) => Number(i > 11), 3) };
    const [first, second] = told(compare([job(scores)]));
    expect(first).toBe("hasty-with-a-long-name (b) is worse than careful-with-a-long-name by 60 points");
    expect(second).toMatch(/^\(95 % interval \d+ to \d+, p [=<] \.\d+\)\.$/);
  });

  it("lets no verdict of an invalid job stand without saying so", () => {
    const scores = { a: suite(20, () => 0, 3), b: { ...suite(20, () => 1, 3), t00: [null, null, null] } };
    expect(told(compare([job(scores)]))[0]).toMatch(/^Invalid job, 3 of 120 unscored: b is better than a by 100 points/);
  });

  it("mentions in a line that names look like variants", () => {
    const names = (of: (i: number) => number): Scores =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`task${i % 10}-${i}`, [of(i)]]));
    const lines = told(compare([job({ a: names(() => 0), b: names(() => 1) })]));
    expect(lines.filter((line) => line.includes("--variants"))).toEqual([
      "20 tasks have names like variants (task0-0, task0-10), which would be 10 families: --variants",
    ]);
  });

  it("says of no difference its interval, and what so many tasks can show", () => {
    const scores = { a: suite(40, (i) => i % 2), b: suite(40, (i) => (i === 0 ? 1 : i % 2)) };
    expect(
      told(compare([job(scores)]))
        .slice(0, 3)
        .join(" "),
    ).toMatch(
      /^No difference shown between a and b \(\+2\.5 points, 95 % interval −\d[\d.]* to \d[\d.]*\)\. 40 tasks can show differences of [\d.]+ points or more\./,
    );
  });
});
