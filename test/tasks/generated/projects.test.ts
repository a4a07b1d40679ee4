import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { diary } from "../../../tasks/generated/projects/diary.ts";
import { gauge } from "../../../tasks/generated/projects/gauge.ts";
import { plantAll, testFiles } from "../../../tasks/generated/projects/project.ts";
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
