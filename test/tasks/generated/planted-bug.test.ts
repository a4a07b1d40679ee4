import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { c } from "../../../tasks/generated/families/planted-bug-c.ts";
import { javascript } from "../../../tasks/generated/families/planted-bug-javascript.ts";
import { python } from "../../../tasks/generated/families/planted-bug-python.ts";
import { shell } from "../../../tasks/generated/families/planted-bug-shell.ts";
import { plant } from "../../../tasks/generated/planted-bug.ts";
import { needs } from "../../needs.ts";

/** What a program prints, and how it ends. */
async function outcome(command: string, file: string, source: string, input: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-bug-"));
  try {
    await writeFile(join(folder, file), source);
    return await new Promise((settle) => {
      const child = execFile("sh", ["-c", command], { cwd: folder, timeout: 20_000 }, (error, stdout) =>
        settle(`${error?.code ?? 0}\n${stdout}`),
      );
      child.stdin?.end(input);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const subjects = [c, javascript, python, shell].flatMap((language) =>
  language.subjects.map((subject) => ({ language, subject, title: `${language.name}: ${subject.names[0]}` })),
);

it.skipIf(needs("gcc")).each(subjects)("every bug of $title shows on its own input", async ({ language, subject }) => {
  const file = `program-under-test.${language.extension}`;
  const command = language.start(file);
  await Promise.all(
    subject.bugs.map(async (bug) => {
      const right = await outcome(command, file, subject.source, bug.input);
      expect(right, "the right program ends with 0").toMatch(/^0\n/);
      expect(await outcome(command, file, plant(subject.source, [bug]), bug.input), bug.symptom).not.toBe(right);
    }),
  );
});

it.skipIf(needs("gcc")).each(subjects)("no bug of $title hides what another one's input shows", async ({ language, subject }) => {
  const file = `program-under-test.${language.extension}`;
  const command = language.start(file);
  await Promise.all(
    subject.bugs.map(async (bug) => {
      const right = await outcome(command, file, subject.source, bug.input);
      for (const other of subject.bugs.filter((one) => one !== bug))
        expect(await outcome(command, file, plant(subject.source, [bug, other]), bug.input), `${bug.symptom} ${other.symptom}`).not.toBe(
          right,
        );
    }),
  );
});
