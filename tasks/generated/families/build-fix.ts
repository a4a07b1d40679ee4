import { cMake } from "../build-fix/c-make.ts";
import { pythonPackage } from "../build-fix/python-package.ts";
import type { Fault, Files } from "../build-fix/build.ts";
import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { rightFiles, rightFolder } from "../projects/project.ts";
import { text, writeFile } from "../text.ts";

/** A program that cannot be built or started, for one to several reasons, of which some only show after others are gone. */
export const buildFix: Family = {
  name: "build-fix",
  summary: "mend a build, offline: a makefile with a library, or a Python program with packages of others in several versions",
  split: "train",
  tags: ["build", "make", "c", "python"],
  draw,
};

function draw(d: Draw, level: Level): TaskDraft {
  const build = d.pick([cMake, pythonPackage])(d);
  const loud = build.faults.filter(({ quiet }) => !quiet);
  const quiet = build.faults.filter((fault) => fault.quiet);
  const planted = { easy: () => d.some(loud, 1), medium: () => [...d.some(loud, 2), d.pick(quiet)], hard: () => [...d.some(loud, 4), ...quiet] }[level](); // prettier-ignore
  const plant = (faults: readonly Fault[]): Files => faults.reduce((files, fault) => fault.apply(files), build.right);
  const broken = plant(planted);
  /** Shell that makes the broken folder into this one. */
  const write = (files: Files): string =>
    [
      ...Object.keys(broken).filter((path) => files[path] === undefined).map((path) => `rm ${path}\n`), // prettier-ignore
      ...Object.entries(files).filter(([path, content]) => content !== broken[path]).map(([path, content]) => writeFile(path, content)), // prettier-ignore
    ].join("");
  const solve = write(build.right);
  const changed = Object.keys(build.right).filter((path) => broken[path] !== build.right[path]);
  const [first, ...others] = planted;
  if (!first) throw new Error("Nothing was planted.");
  const told = level === "easy" ? first.told : "It does not work, for more than one reason.";
  const silent = planted.filter((fault) => fault.quiet);
  return {
    instruction: text`
      ${build.about} ${told}

      ${Object.values(build.asked)
        .map((sentence) => `- ${sentence}`)
        .join("\n")}
    `,
    ...(level === "easy" && { directions: directions(broken, build.right) }),
    app: broken,
    checks: build.asked,
    tests: rightFiles(build.right),
    verify: `${rightFolder}\n\n${build.verify}`,
    solve,
    wrong: {
      ...build.wrong,
      ...Object.fromEntries(Object.entries(build.lapses).map(([mistake, files]) => [mistake, write(files)])),
      "changes-what-is-not-its-own": solve + build.trespass,
      ...(others.length > 0 && { "mends-all-but-one": write(plant([planted.filter((fault) => !fault.quiet).at(-1) ?? first])) }),
      ...(silent.length > 0 && { "mends-what-is-loud": write(plant(silent)) }),
    },
    plan: {
      steps: [
        { say: "I try it.", calls: [bash(`${build.attempt}; ls -R . | head -n 40`)], check: false },
        { say: "I mend what is wrong.", calls: [bash(solve)], check: false },
        { say: "I try it again.", calls: [bash(build.attempt)], check: true },
      ],
      answer: "It builds and runs again.",
      slip: [{ say: "I go round it.", calls: [bash(Object.values(build.wrong)[0] ?? "true")], check: false }],
      claims: [changed[0] ?? Object.keys(build.right)[0] ?? ""],
    },
  };
}
