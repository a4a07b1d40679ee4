import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { diary } from "../projects/diary.ts";
import { gauge } from "../projects/gauge.ts";
import { compareProject, plantAll, testFiles, rightFiles, rightFolder, type Project, type ProjectBug } from "../projects/project.ts";
import { till } from "../projects/till.ts";
import { text, writeFile } from "../text.ts";

/** A Python package with tests of which some fail; its docstrings promise more than the tests try. */
export const failingTests: Family = {
  name: "failing-tests",
  summary: "make the failing tests of a Python package pass by mending it; its docstrings hold for what no test tries",
  split: "train",
  tags: ["bugfix", "tests", "python"],
  draw,
};

const run = "python3 -m unittest discover tests";

/** A project, what is wrong with it, and how many of these mistakes its tests show. */
interface Broken {
  readonly project: Project;
  readonly planted: readonly ProjectBug[];
  readonly shown: readonly ProjectBug[];
  /** A mistake that is not there. */
  readonly spare: ProjectBug;
}

function breakProject(d: Draw, project: Project, count: number, shows: number): Broken {
  const [spare, ...planted] = d.some(project.bugs, count + 1);
  if (!spare) throw new Error(`${project.name} has no bugs.`);
  return { project, planted, shown: planted.slice(0, shows), spare };
}

const drawBroken: Record<Level, (d: Draw) => Broken[]> = {
  easy: (d) => [breakProject(d, d.pick([till, diary, gauge])(d), 1, 1)],
  medium: (d) => [breakProject(d, d.pick([till, diary, gauge])(d), 3, 2)],
  hard: (d) => d.some([till, diary, gauge], 2).map((make) => breakProject(d, make(d), 4, d.int(1, 2))),
};

function draw(d: Draw, level: Level): TaskDraft {
  const all = drawBroken[level](d);
  const given = Object.assign({}, ...all.map((one) => givenTests(d, one))) as Record<string, string>; // assign's type is any
  const modules = (pick: (one: Broken) => readonly ProjectBug[]): Record<string, string> =>
    Object.assign({}, ...all.map((one) => plantAll(one.project.modules, pick(one)))) as Record<string, string>; // the same
  const right = modules(() => []);
  const broken = modules(({ planted }) => planted);
  /** Shell that writes the modules that had a mistake, or now get one. */
  const write = (files: Record<string, string>): string =>
    Object.entries(files)
      .filter(([path, content]) => content !== broken[path])
      .map(([path, content]) => writeFile(path, content))
      .join("");
  const names = all.map(({ project }) => `\`${project.name}\``).join(" and ");
  const [first] = all;
  const [told] = first?.planted ?? [];
  if (!first || !told) throw new Error("Nothing was planted.");
  const where =
    level === "easy"
      ? `What fails is \`test_${told.case.name}\` in \`tests/test_${told.case.module}.py\`; the mistake is a single one, in \`${told.file}\`.`
      : "";
  const passes = `Mend ${names} so that \`${run}\` passes.`;
  const promises = `Afterwards every docstring in ${names} is true, also where no test tries it.`;
  const solve = write(right);
  return {
    instruction: text`
      \`${run}\` fails in this folder. ${where}

      ${passes} Leave \`tests/\` as it is: your copy of the tests is replaced by the one that you were given before they run. The tests are right, and so are the docstrings. ${promises}
    `,
    ...(level === "easy" && { directions: directions(broken, right) }),
    app: { ...broken, ...given },
    given: Object.keys(given),
    checks: { tests: passes, docstrings: promises },
    tests: rightFiles(right),
    verify: verifier(all, Object.values(given).join("").split("def test_").length - 1),
    solve,
    wrong: {
      "empties-the-tests": Object.keys(given).map((path) => writeFile(path, "import unittest")).join(""), // prettier-ignore
      "mends-one-breaks-another": write(modules((one) => (one === first ? [one.spare] : []))),
      ...(level !== "easy" && {
        "mends-only-what-fails": write(modules(({ planted, shown }) => planted.filter((bug) => !shown.includes(bug)))),
      }),
    },
    plan: {
      steps: [
        { say: "I run the tests.", calls: [bash(`${run} 2>&1 | tail -n 40`)], check: false },
        { say: "I read the modules.", calls: [bash(`cat ${[...new Set(all.flatMap(({ planted }) => planted.map(({ file }) => file)))].sort().join(" ")}`)], check: false }, // prettier-ignore
        { say: "I mend them.", calls: [bash(solve)], check: false },
        { say: "I run the tests again.", calls: [bash(run)], check: true },
      ],
      answer: `All tests pass; what was wrong in ${names} is mended.`,
      slip: [{ say: "I mend it.", calls: [bash(write(modules((one) => (one === first ? [one.spare] : []))))], check: false }],
      claims: [told.file],
    },
  };
}

function givenTests(d: Draw, { project, planted, shown }: Broken): Record<string, string> {
  const passing = project.bugs.filter((bug) => !planted.includes(bug));
  return testFiles(project, [...project.cases, ...d.shuffled([...d.some(passing, 2), ...shown].map((bug) => bug.case))]);
}

const verifier = (all: readonly Broken[], count: number): string => text`
  ${rightFolder}


  ${all.map(({ project }) => compareProject(project)).join("\n\n")}


  INPUTS = ${JSON.stringify(Object.fromEntries(all.map(({ project, planted }) => [project.name, planted.map(({ input }) => input)])))}


  @check("tests")
  def _():
      work = copy_of_app()
      shutil.rmtree(os.path.join(work, "tests"), ignore_errors=True)
      pristine(work)
      code, out, err = run([${run
        .split(" ")
        .map((word) => JSON.stringify(word))
        .join(", ")}], cwd=work)
      expect(code == 0 and "Ran ${count} test" in err, f"the tests end with {code}: {err[-600:]}")


  @check("docstrings")
  def _():
      work = copy_of_app()
      ${all
        .map(
          ({ project: { name } }) =>
            `compare_${name}(work, INPUTS["${name}"] + edges_${name}() + [drawn_${name}() for _ in range(${Math.round(4 / all.length)})])`,
        )
        .join("\n")}
`;
