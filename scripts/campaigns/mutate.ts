/**
 * npx jiti scripts/campaigns/mutate.ts: draws mistakes in the source (a condition negated, a comparison swapped, a statement dropped, a number changed), makes
 * each in a copy of the repository, and counts which of them the plain tests of the same room find. Prints each that none finds; exit code 0.
 * --seed 1 · --mutants 40 · --first 0 · --repository .
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

function mutantsOf(repository: string, room: (typeof rooms)[number]): Mutant[] {
  const files = readdirSync(join(repository, room.source), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return files.toSorted().flatMap((path) => {
    const file = join(room.source, path);
    return readFileSync(join(repository, file), "utf8")
      .split("\n")
      .flatMap((text, line) =>
        /^\s*(?:\/\/|\*|\/\*|import |export type|type |interface |readonly )|["'`]/.test(text)
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
const draw = createDraw("mutants", Number(values.seed));
const drawn = draw.shuffled(rooms.flatMap((room) => mutantsOf(repository, room)));
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
    const projects = ["plain", "process"].filter((name) => config.includes(`"${name}"`)).flatMap((name) => ["--project", name]);
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
