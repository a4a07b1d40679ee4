/**
 * npx jiti scripts/campaigns/mutate.ts: draws mistakes in the source (a condition negated, a comparison swapped, a statement dropped, a number changed), makes
 * each in a copy of the repository, and counts which of them the container-free tests of the same room find. Prints each with what came of it; exit code 0.
 * With --other, mistakes are drawn only in lines that are there too, once in the file: of two states of the tests, both get the same mistakes.
 * --seed 1 · --mutants 40 · --first 0 · --repository . · --other FOLDER
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createDraw } from "../../tasks/generated/draw.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    mutants: { type: "string", default: "40" },
    first: { type: "string", default: "0" },
    repository: { type: "string", default: "." },
    other: { type: "string" },
  },
});
/** The source of a room, and the tests that are run for it. */
const rooms = [
  { source: "harness/agent", tests: "test/harness/agent" },
  { source: "traces/replay", tests: "test/traces/replay" },
  { source: "evals/statistics", tests: "test/evals/statistics" },
  { source: "evals/trial/classify", tests: "test/evals/trial" },
] as const;

interface Mutant {
  readonly room: (typeof rooms)[number];
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly text: string;
}

const operators: readonly { readonly what: string; readonly of: RegExp; readonly to: (...found: string[]) => string }[] = [
  {
    what: "condition negated",
    of: /^(\s*(?:\} else )?if \()(.+)(\) .*|\))$/,
    to: (_, before, condition, after) => `${before}!(${condition})${after}`,
  },
  { what: "=== swapped", of: / === /, to: () => " !== " },
  { what: "!== swapped", of: / !== /, to: () => " === " },
  { what: "< swapped", of: / < /, to: () => " <= " },
  { what: "> swapped", of: / > /, to: () => " >= " },
  { what: "<= swapped", of: / <= /, to: () => " < " },
  { what: ">= swapped", of: / >= /, to: () => " > " },
  { what: "&& swapped", of: / && /, to: () => " || " },
  { what: "|| swapped", of: / \|\| /, to: () => " && " },
  { what: "statement dropped", of: /^(\s+)(?:await )?[a-z][\w.?]*\(.*\);$/, to: (_, indent) => `${indent};` },
  { what: "assignment dropped", of: /^(\s+)[a-z][\w.]* [+-]?= .*;$/, to: (_, indent) => `${indent};` },
  { what: "number changed", of: /(?<![\w."'`-])(\d+)(?![\w."'`])/, to: (_, number) => String(Number(number) + 1) },
];

/** The lines of a file that no other of its lines is equal to. */
function linesOnce(file: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(file, "utf8").split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count === 1).map(([line]) => line));
}

function mutantsOf(room: (typeof rooms)[number]): Mutant[] {
  const files = readdirSync(join(repository, room.source), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return files.toSorted().flatMap((path) => {
    const file = join(room.source, path);
    if (!existsSync(join(other, file))) return [];
    const [own, there] = [linesOnce(join(repository, file)), linesOnce(join(other, file))];
    const compared = (text: string): boolean => other === repository || (own.has(text) && there.has(text));
    return readFileSync(join(repository, file), "utf8")
      .split("\n")
      .flatMap((text, line) =>
        !compared(text) || /^\s*(?:\/\/|\*|\/\*|import |export type|type |interface |readonly )|["'`]/.test(text)
          ? []
          : operators
              .filter(({ of }) => of.test(text))
              .map(({ what, of, to }): Mutant => ({
                room,
                file,
                line,
                what,
                text: text.replace(of, (...found: string[]) => to(...found)),
              })),
      );
  });
}

const repository = resolve(values.repository);
const other = values.other === undefined ? repository : resolve(values.other);
const draw = createDraw("mutants", Number(values.seed));
const drawn = draw.shuffled(rooms.flatMap(mutantsOf));
const folder = mkdtempSync(join(tmpdir(), "forge-mutants-"));
let [killed, survived, invalid] = [0, 0, 0];
try {
  const copy = join(folder, "copy");
  cpSync(repository, copy, { recursive: true, filter: (path) => !/\/(?:node_modules|dist|\.git|jobs)$/.test(path) });
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
  for (const { room, file, line, what, text } of drawn.slice(Number(values.first))) {
    if (killed + survived === Number(values.mutants)) break;
    const whole = readFileSync(join(copy, file), "utf8");
    writeFileSync(join(copy, file), whole.split("\n").with(line, text).join("\n"));
    const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
    const config = readFileSync(join(copy, "vitest.config.ts"), "utf8");
    const projects = ["plain", "process", "bench"].filter((name) => config.includes(`"${name}"`)).flatMap((name) => ["--project", name]);
    const run = spawnSync(process.execPath, [vitest, "run", ...projects, "--bail", "1", "--retry=0", "--reporter=dot", room.tests], {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, CI: "1" },
      timeout: 600_000,
      maxBuffer: 1 << 28,
    });
    writeFileSync(join(copy, file), whole);
    const broken = /Transform failed|SyntaxError|PARSE_ERROR/.test(run.stdout + run.stderr);
    if (broken) invalid += 1;
    else if (run.status === 0) survived += 1;
    else killed += 1;
    const verdict = broken ? "invalid" : run.status === 0 ? "SURVIVED" : "killed";
    process.stdout.write(`${verdict} ${file}:${line + 1} ${what}: ${text.trim()}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${killed} of ${killed + survived} found; ${invalid} drawn that are no program\n`);
