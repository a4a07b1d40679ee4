import { fenced } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { diary } from "../projects/diary.ts";
import { gauge } from "../projects/gauge.ts";
import { rightFiles, testFiles, type Project } from "../projects/project.ts";
import { till } from "../projects/till.ts";
import { surroundings } from "../rename-refactor/surroundings.ts";
import { renameVerifier } from "../rename-refactor/verifier.ts";
import { writeFile } from "../text.ts";

/** A function with callers in modules, tests, scripts, a makefile and settings, beside names that only look like it. */
export const renameRefactor: Family = {
  name: "rename-refactor",
  summary: "rename a function, and at the hard level move it, with all callers in several kinds of files; lookalikes stay",
  split: "validation",
  tags: ["refactor", "python"],
  draw,
};

function draw(d: Draw, level: Level): TaskDraft {
  const project = d.pick([till, diary, gauge])(d);
  const { name, shared } = project;
  const { module, name: old, better } = shared;
  const target = level === "hard" ? d.pick(["basis", "common_parts", "core", "kernel"]) : module;
  const neighbours = surroundings(d, project, level);
  const cases = [...project.cases, ...d.shuffled(project.bugs).slice(0, 5).map((bug) => bug.case)]; // prettier-ignore
  const using = project.bugs.find((bug) => bug.case.module === module && bug.case.body.includes(`${old}(`));
  const tests = testFiles(project, [...new Set([...cases, ...(using ? [using.case] : [])])]);
  const before = { ...project.modules, ...tests, ...Object.fromEntries(neighbours.map(({ path, content }) => [path, content])) };
  const whole = new RegExp(`\\b${old}\\b`, "g");
  const stays = neighbours.flatMap((one) => one.stays ?? []);
  const renamed = (files: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(files).map(([path, content]) => [path, after(path, content)]));
  const after = (path: string, content: string): string => {
    if (path === "data/labels.json" || path === "tools/poll.py") return content;
    const moved = level === "hard" ? moveAway(path, content, project, target) : content;
    return path === "tools/label.py"
      ? moved.replace(whole, better).replace(`labels["${better}"]`, `labels["${old}"]`)
      : moved.replace(whole, better);
  };
  const right = {
    ...renamed(before),
    ...(level === "hard" && { [`${name}/${target}.py`]: `${definition(project).replace(whole, better)}` }),
  };
  const write = (files: Readonly<Record<string, string>>): string =>
    Object.entries(files)
      .filter(([path, content]) => content !== before[path])
      .map(([path, content]) => writeFile(path, content))
      .join("");
  const folders = level === "easy" ? `${name} tests` : `${name} tests bin tools README.md Makefile settings.ini`;
  const rename = `grep -rlw ${old} ${folders} | xargs sed -i 's/\\b${old}\\b/${better}/g'\n`;
  const asked = sentences(level, project, target);
  const keep = `Apart from that everything stays as it is: programs, scripts and tests do and print what they did${stays.length > 0 ? `. ${capital(stays.join("; "))}` : ""}.`;
  const solve = level === "hard" ? write(right) : rename;
  return {
    instruction: [asked.rename, asked.gone, keep].join("\n\n"),
    ...(level === "easy" && {
      directions: `Run this command: it finds the files in which the name stands as a whole word, and renames it in them.\n\n${fenced(rename.replace("xargs ", "xargs -r "))}`,
    }),
    app: before,
    checks: { renamed: asked.rename, "old-name-gone": asked.gone, behaviour: keep, tests: keep },
    tests: rightFiles(before),
    verify: renameVerifier({ project, target, level, neighbours, tests: cases.length + (using && !cases.includes(using.case) ? 1 : 0) }),
    solve,
    wrong: {
      "only-the-package": write(renamed(project.modules)),
      "empties-the-tests": `${solve}sed -i 's/^        .*/        pass/' tests/test_*.py\n`,
      "keeps-the-old-name-too": `${solve}echo '\n${old} = ${better}' >> ${name}/${target}.py\n`,
      ...(level !== "easy" && { "renames-lookalikes": `${solve}sed -i 's/${old}/${better}/g' tools/*.py\n` }),
      ...(level === "hard" && {
        "renames-without-moving": rename,
        "renames-data": `${solve}sed -i 's/\\b${old}\\b/${better}/g' data/labels.json tools/*.py\n`,
      }),
    },
    plan: {
      steps: [
        { say: "I look where the name stands.", calls: [bash(`grep -rn ${old} .`)], check: false },
        { say: "I rename it everywhere.", calls: [bash(solve)], check: false },
        { say: "I run the tests and look again.", calls: [bash(`grep -rnw ${old} . ; python3 -m unittest discover tests`)], check: true },
      ],
      answer: `\`${old}\` is \`${better}\` now, with all its callers.`,
      slip: [{ say: "I rename it.", calls: [bash(`sed -i 's/\\b${old}\\b/${better}/g' ${name}/${module}.py`)], check: false }],
      claims: [`${name}/${target}.py`],
    },
  };
}

function sentences(level: Level, { name, shared }: Project, target: string): { rename: string; gone: string } {
  const { module, name: old, better } = shared;
  if (level === "easy")
    return {
      rename: `Rename the function \`${old}\` of \`${name}/${module}.py\` to \`${better}\`, in all files of \`${name}\` and \`tests\`.`,
      gone: `No \`${old}\` is left in them.`,
    };
  const move = level === "hard" ? ` and move it to a new module \`${name}/${target}.py\`` : "";
  return {
    rename: `Rename the function \`${old}\` of \`${name}/${module}.py\` to \`${better}\`${move}. Whatever uses or mentions it, in whatever kind of file, does so by its new name${move && ", and takes it from the new module"}.`,
    gone: `The function's old name is left nowhere, not even in texts and comments${move && `, and \`${name}/${module}.py\` neither has nor imports the function`}.`,
  };
}

const capital = (sentence: string): string =>
  sentence.replace(/^(`?)([a-z])/, (_, tick: string, letter: string) => tick + (tick ? letter : letter.toUpperCase()));

/** The function's own source, up to the next one. */
function definition({ name, modules, shared }: Project): string {
  const source = modules[`${name}/${shared.module}.py`] ?? "";
  const start = source.indexOf(`def ${shared.name}(`);
  const end = source.indexOf("\n\n\n", start);
  return `${source.slice(start, end < 0 ? undefined : end).trimEnd()}\n`;
}

/** A file whose callers find the function in the module `target`, under its old name still. */
function moveAway(path: string, content: string, project: Project, target: string): string {
  const { name, shared } = project;
  const { module, name: old } = shared;
  if (path === `${name}/${module}.py`)
    return (
      content
        .replace(`${definition(project)}`, "")
        .replace(/\n{4,}/g, "\n\n\n")
        .trimEnd() + "\n"
    );
  return content
    .replaceAll(new RegExp(`from ${name}\\.${module} import (.*)`, "g"), (_, list: string) => {
      const names = list.split(", ");
      const rest = names.filter((one) => one !== old);
      if (rest.length === names.length) return `from ${name}.${module} import ${list}`;
      return [
        ...(rest.length > 0 ? [`from ${name}.${module} import ${rest.join(", ")}`] : []),
        `from ${name}.${target} import ${old}`,
      ].join("\n");
    })
    .replaceAll(`${name}.${module}:${old}`, `${name}.${target}:${old}`)
    .replaceAll(`\`${old}\` in \`${name}/${module}.py\``, `\`${old}\` in \`${name}/${target}.py\``)
    .replaceAll(`${name}.${module}.${old}`, `${name}.${target}.${old}`)
    .replaceAll(new RegExp(`import ${name}\\.${module}$`, "gm"), `import ${name}.${target}`)
    .replaceAll(`import ${module}; a, b`, `import ${target}; a, b`)
    .replaceAll(`print(${shared.call(`${module}.${old}`)})"`, `print(${shared.call(`${target}.${old}`)})"`)
    .replaceAll(`import ${module} as source`, `import ${target} as source`);
}
