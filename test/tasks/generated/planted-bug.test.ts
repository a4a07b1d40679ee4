import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { c } from "../../../tasks/generated/families/planted-bug-c.ts";
import { javascript } from "../../../tasks/generated/families/planted-bug-javascript.ts";
import { python } from "../../../tasks/generated/families/planted-bug-python.ts";
import { shell } from "../../../tasks/generated/families/planted-bug-shell.ts";
import { plant, type Language } from "../../../tasks/generated/planted-bug.ts";
import { needs } from "../../needs.ts";
import { holdChanged } from "../held.ts";

const outcomes = (language: Language, source: string, inputs: readonly string[]): Promise<string[]> =>
  outcomesUntil(language, source, inputs, () => false);

/** Whether a program does something else than it should for one of the inputs. */
async function differs(language: Language, source: string, inputs: readonly string[], right: readonly string[]): Promise<boolean> {
  const seen = await outcomesUntil(language, source, inputs, (outcome, i) => outcome !== right[i]);
  return seen.some((outcome, i) => outcome !== right[i]);
}

/** What a program prints for each input, and how it ends; those behind one that is enough are left out. */
async function outcomesUntil(
  { build, run, extension }: Language,
  source: string,
  inputs: readonly string[],
  enough: (outcome: string, i: number) => boolean,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "forge-bug-"));
  const file = `program-under-test.${extension}`;
  try {
    await writeFile(join(folder, file), source);
    if (build) await promisify(execFile)("sh", ["-c", build(file)], { cwd: folder });
    const all: string[] = [];
    for (const [i, input] of inputs.entries()) {
      const outcome = await new Promise<string>((settle) => {
        const child = execFile("sh", ["-c", run(file)], { cwd: folder, timeout: 20_000 }, (error, stdout) =>
          settle(`${error?.code ?? 0}\n${stdout}`),
        );
        child.stdin?.on("error", () => {}); // a broken program may end before it has read everything
        child.stdin?.end(input);
      });
      all.push(outcome);
      if (enough(outcome, i)) break;
    }
    return all;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const subjects = [c, javascript, python, shell].flatMap((language) =>
  [...language.subjects, ...(language.longer ?? [])].map((subject) => ({
    language,
    subject,
    all: [...subject.bugs, ...subject.deeper],
    title: `${language.name}: ${subject.names[0]}`,
    // One that is compiled and one that is not; the others are run where a program or its inputs changed since scripts/campaigns/hold-tasks.ts held them.
    sample: subject === language.subjects[0] && [c, shell].includes(language),
    content: [
      language.run("f"),
      language.build?.("f"),
      subject,
      [...subject.bugs, ...subject.deeper].map((bug) => plant(subject.source, [bug])),
    ],
  })),
);

it.skipIf(needs("gcc")).each(subjects)(
  "every bug of $title shows on its own input, whatever other one is there",
  { timeout: 300_000 },
  ({ language, subject, all, title, sample, content }) =>
    holdChanged(`each bug: ${title}`, content, { sample }, async () => {
      expect(new Set(all.map(({ input }) => input)).size).toBe(all.length);
      const inputs = all.map(({ input }) => input);
      const right = await outcomes(language, subject.source, inputs);
      for (const outcome of right) expect(outcome, "the right program ends with 0").toMatch(/^0\n/);
      for (const [i, bug] of all.entries())
        for (const other of all.slice(i)) {
          const both = bug === other ? [bug] : [bug, other];
          const seen = await outcomes(
            language,
            plant(subject.source, both),
            both.map(({ input }) => input),
          );
          for (const [k, one] of both.entries())
            expect(seen[k], `${one.wrong || one.right} beside ${both.map(({ wrong, right }) => wrong || right).join(", ")}`).not.toBe(
              right[all.indexOf(one)],
            );
        }
    }),
);

it.skipIf(needs("gcc")).each(subjects)(
  "the inputs at the limits of $title show every bug, and every mend that falls short",
  { timeout: 300_000 },
  ({ language, subject, all, title, sample, content }) =>
    holdChanged(`limits: ${title}`, content, { sample }, async () => {
      const body = subject.edges.trimEnd().replaceAll("\n", "\n    ");
      const script = `import json, random\nrng = random.Random(7)\ndef edges():\n    ${body}\nprint(json.dumps(edges()))\n`;
      const { stdout } = await promisify(execFile)("python3", ["-c", script], { maxBuffer: 1e8 });
      const inputs = JSON.parse(stdout) as string[];
      const right = await outcomes(language, subject.source, inputs);
      for (const outcome of right) expect(outcome, "the right program ends with 0").toMatch(/^0\n/);
      for (const bug of all)
        expect(await differs(language, plant(subject.source, [bug]), inputs, right), bug.wrong || bug.right).toBe(true);
      for (const [name, pairs] of Object.entries(subject.short)) {
        const mended = plant(
          subject.source,
          pairs.map(([piece, wrong]) => ({ right: piece, wrong, input: "" })),
        );
        expect(await differs(language, mended, inputs, right), name).toBe(true);
      }
    }),
);
