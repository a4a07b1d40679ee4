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
      const child = execFile("python3", args, { cwd: folder, timeout: 100_000 }, (error, out, err) =>
        settle({ code: error?.code ?? 0, out, err }),
      );
      child.stdin?.end(input);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Forks for each input once it has started: nearly all of a short program's time is Python's start. */
const oneForEach = `
import json, os, runpy, sys, traceback
outcomes = []
for at, text in enumerate(json.load(open("inputs.json", encoding="utf-8"))):
    places = [f"input-{at}", f"out-{at}", f"err-{at}"]
    with open(places[0], "w", encoding="utf-8", newline="") as file:
        file.write(text)
    child = os.fork()
    if child == 0:
        for number, path in enumerate(places):
            os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT), number)
        sys.argv = sys.argv[1:]
        code = 0
        try:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out, err = (open(path, encoding="utf-8").read() for path in places[1:])
    outcomes.append({"code": code, "out": out, "err": err})
print(json.dumps(outcomes))
`;
/** How `python -m NAME` ends on each input. */
async function runEach(modules: Readonly<Record<string, string>>, name: string, inputs: readonly string[]): Promise<Outcome[]> {
  const { code, out, err } = await python({ ...modules, "inputs.json": JSON.stringify(inputs) }, ["-c", oneForEach, name]);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Outcome[]; // as printed above
}

/** Which tests of a run did not pass, by name. */
const failures = ({ err }: Outcome): string[] => [...err.matchAll(/^(?:FAIL|ERROR): test_(\w+)/gm)].map(([, name = ""]) => name);

it.each([till, diary, gauge])(
  "each mistake in %o shows in its own input and fails its own test, and without any all pass",
  async (make) => {
    const project = make(createDraw("project", make.name));
    await holdChanged(`mistakes: ${make.name}`, project, { sample: make === till }, async () => {
      const tests = testFiles(project, [...project.cases, ...project.bugs.map((bug) => bug.case)]);
      const suite = ["-m", "unittest", "discover", "tests"];
      const whole = await python({ ...project.modules, ...tests }, suite);
      expect(whole.code, whole.err).toBe(0);
      const inputs = project.bugs.map((bug) => bug.input);
      const right = await runEach(project.modules, project.name, inputs);
      expect(right.map(({ code, err }) => [code, err])).toEqual(inputs.map(() => [0, ""]));
      await Promise.all(
        project.bugs.map(async (bug, k) => {
          const broken = plantAll(project.modules, [bug]);
          const [shown] = await runEach(broken, project.name, [bug.input]);
          expect(shown?.out, bug.symptom).not.toBe(right[k]?.out);
          expect(failures(await python({ ...broken, ...tests }, suite)), bug.symptom).toContain(bug.case.name);
        }),
      );
    });
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
    const right = await runEach(project.modules, project.name, inputs);
    expect(right.map(({ err }) => err)).toEqual(inputs.map(() => ""));
    for (const [k, bug] of project.bugs.entries()) {
      const outs = (await runEach(broken[k] ?? {}, project.name, inputs)).map(({ out }) => out);
      expect(outs, bug.symptom).not.toEqual(right.map(({ out }) => out));
    }
  });
});

it.each([till, diary, gauge])(
  "the inputs of %o for what two people want tell all four programs of each fork apart",
  { timeout: 300_000 },
  async (make) => {
    const project = make(createDraw("forks", make.name));
    await holdChanged(`forks: ${make.name}`, project, { sample: make === diary }, async () => {
      const inputs = await inputsOf(project.forkEdges);
      for (const { file, base, ours, theirs, both, says } of project.forks) {
        const printed = await Promise.all(
          [base, ours, theirs, both].map(async (piece) => {
            const modules = { ...project.modules, [file]: (project.modules[file] ?? "").replace(base, () => piece) };
            const outcomes = await runEach(modules, project.name, inputs);
            expect(outcomes.map(({ err }) => err)).toEqual(inputs.map(() => ""));
            return outcomes.map(({ out }) => out).join("\0");
          }),
        );
        expect(new Set(printed).size, says.ours).toBe(4);
      }
    });
  },
);
