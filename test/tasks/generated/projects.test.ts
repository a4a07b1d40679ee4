import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { diary } from "../../../tasks/generated/projects/diary.ts";
import { gauge } from "../../../tasks/generated/projects/gauge.ts";
import { plantAll, testFiles } from "../../../tasks/generated/projects/project.ts";
import { holdChanged } from "../held.ts";
import { till } from "../../../tasks/generated/projects/till.ts";

interface Outcome {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

/** How Python ends in a folder with these files. */
async function python(files: Readonly<Record<string, string>>, args: readonly string[], input = ""): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "forge-project-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await new Promise((settle) => {
      const child = execFile("python3", args, { cwd: folder, timeout: 20_000 }, (error, out, err) =>
        settle({ code: error?.code ?? 0, out, err }),
      );
      child.stdin?.end(input);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Which tests of a run did not pass, by name. */
const failures = ({ err }: Outcome): string[] => [...err.matchAll(/^(?:FAIL|ERROR): test_(\w+)/gm)].map(([, name = ""]) => name);

it.each([till, diary, gauge])(
  "each mistake in %o shows in its own input and fails its own test, and without any all pass",
  async (make) => {
    const project = make(createDraw("project", make.name));
    const tests = testFiles(project, [...project.cases, ...project.bugs.map((bug) => bug.case)]);
    const suite = ["-m", "unittest", "discover", "tests"];
    const whole = await python({ ...project.modules, ...tests }, suite);
    expect(whole.code, whole.err).toBe(0);
    await Promise.all(
      project.bugs.map(async (bug) => {
        const broken = plantAll(project.modules, [bug]);
        const right = await python(project.modules, ["-m", project.name], bug.input);
        expect(right.code, right.err).toBe(0);
        expect((await python(broken, ["-m", project.name], bug.input)).out, bug.symptom).not.toBe(right.out);
        expect(failures(await python({ ...broken, ...tests }, suite)), bug.symptom).toContain(bug.case.name);
      }),
    );
  },
);

/** What the inputs of a body of Python are. */
async function inputsOf(body: string): Promise<string[]> {
  const lines = body.trimEnd().replaceAll("\n", "\n    ");
  const script = `import json, random\nrng = random.Random(7)\ndef inputs():\n    ${lines}\nprint(json.dumps(inputs()))\n`;
  return JSON.parse((await python({}, ["-c", script])).out) as string[];
}

it.each([till, diary, gauge])("the inputs at the limits of %o show each mistake", { timeout: 300_000 }, async (make) => {
  const project = make(createDraw("edges", make.name));
  const broken = project.bugs.map((bug) => plantAll(project.modules, [bug]));
  await holdChanged(`limits: ${make.name}`, [project, broken], { sample: make === gauge }, async () => {
    const inputs = await inputsOf(project.edges);
    const run = (modules: Readonly<Record<string, string>>, input: string): Promise<Outcome> =>
      python(modules, ["-m", project.name], input);
    const right = await Promise.all(inputs.map((input) => run(project.modules, input)));
    expect(right.map(({ err }) => err)).toEqual(inputs.map(() => ""));
    for (const [k, bug] of project.bugs.entries()) {
      let shown = false;
      for (let i = 0; i < inputs.length && !shown; i++) shown = (await run(broken[k] ?? {}, inputs[i] ?? "")).out !== right[i]?.out;
      expect(shown, bug.symptom).toBe(true);
    }
  });
});

it.each([till, diary, gauge])(
  "the inputs of %o for what two people want tell all four programs of each fork apart",
  { timeout: 300_000 },
  async (make) => {
    const project = make(createDraw("forks", make.name));
    const inputs = await inputsOf(project.forkEdges);
    for (const { file, base, ours, theirs, both, says } of project.forks) {
      const printed = await Promise.all(
        [base, ours, theirs, both].map(async (piece) => {
          const modules = { ...project.modules, [file]: (project.modules[file] ?? "").replace(base, () => piece) };
          const outcomes = await Promise.all(inputs.map((input) => python(modules, ["-m", project.name], input)));
          expect(outcomes.map(({ err }) => err)).toEqual(inputs.map(() => ""));
          return outcomes.map(({ out }) => out).join("\0");
        }),
      );
      expect(new Set(printed).size, says.ours).toBe(4);
    }
  },
);
