import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const bin = resolve("node_modules/.bin");
const trees: string[] = [];

/** A source tree of its own with the real configuration of compiler, linter, knip and prettier. */
function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "forge-lint-"));
  trees.push(root);
  for (const name of [".oxlintrc.json", "tsconfig.json", "knip.json", "package.json", ".prettierrc.json", ".prettierignore"]) {
    copyFileSync(name, join(root, name));
  }
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

interface Run {
  code: number;
  stdout: string;
  all: string;
}

function run(tool: string, args: string[], cwd: string): Promise<Run> {
  return new Promise((settle) => {
    execFile(join(bin, tool), args, { cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      settle({ code: error ? 1 : 0, stdout, all: stdout + stderr });
    });
  });
}

/** What oxlint says, as `path rule: message`. */
async function lint(root: string): Promise<string[]> {
  const { stdout } = await run("oxlint", ["--format", "json"], root);
  // The shape of oxlint's JSON report.
  const report = JSON.parse(stdout) as { diagnostics: { code?: string; message: string; filename: string }[] };
  return report.diagnostics.map(({ code, message, filename }) => `${relative(root, resolve(root, filename))} ${code ?? ""}: ${message}`);
}

const parts = {
  "harness/part.ts": "export const part = 1;\n",
  "harness/agent/part.ts": "export const part = 1;\n",
  "harness/contract/part.ts": "export const part = 1;\n",
  "middleware/part.ts": "export const part = 1;\n",
  "traces/part.ts": "export const part = 1;\n",
  "tasks/part.ts": "export const part = 1;\n",
  "evals/part.ts": "export const part = 1;\n",
  "analyzer/part.ts": "export const part = 1;\n",
  "reports/part.ts": "export const part = 1;\n",
  "assembly/part.ts": "export const part = 1;\n",
  "cli/part.ts": "export const part = 1;\n",
  "test/part.ts": "export const part = 1;\n",
  "index.ts": "export const entry = 1;\n",
};

const floors: [from: string, to: string][] = [
  ...["middleware", "traces", "tasks", "evals", "analyzer", "reports", "assembly", "cli"].map((to): [string, string] => ["harness", to]),
  ...["middleware", "traces", "tasks"].flatMap((from) =>
    ["middleware", "traces", "tasks", "evals", "analyzer", "reports", "assembly", "cli"]
      .filter((to) => to !== from)
      .map((to): [string, string] => [from, to]),
  ),
  ...["analyzer", "reports", "assembly", "cli"].map((to): [string, string] => ["evals", to]),
  ...["reports", "assembly", "cli"].map((to): [string, string] => ["analyzer", to]),
  ["reports", "assembly"],
  ["reports", "cli"],
  ["assembly", "cli"],
  ...[
    "harness",
    "harness/agent",
    "harness/contract",
    "middleware",
    "traces",
    "tasks",
    "evals",
    "analyzer",
    "reports",
    "assembly",
    "cli",
  ].map((from): [string, string] => [from, "test"]),
];

const up = (from: string): string => "../".repeat(from.split("/").length);

/** What may not be reached from the loop and from middleware, and the rule that says so. */
const ambient: Record<string, string> = {
  "export const at = Date.now();": "no-restricted-globals",
  "export const at = new Date();": "no-restricted-globals",
  "export const at = globalThis.Date.now();": "no-restricted-globals",
  "export const at = performance.now();": "no-restricted-globals",
  "setTimeout(() => undefined, 1);": "no-restricted-globals",
  "setInterval(() => undefined, 1);": "no-restricted-globals",
  "export const signal = AbortSignal.timeout(5);": "no-restricted-properties",
  "export const dice = Math.random();": "no-restricted-properties",
  'export const dice = Math["random"]();': "no-restricted-properties",
  "export const { random } = Math;": "no-restricted-properties",
  "export const id = crypto.randomUUID();": "no-restricted-globals",
  'import { randomUUID } from "node:crypto";\nexport const id = randomUUID();': "no-restricted-imports",
  'import * as crypt from "node:crypto";\nexport const id = crypt.randomUUID();': "no-restricted-imports",
  'export const key = process.env["KEY"];': "no-restricted-globals",
  'import { env } from "node:process";\nexport const key = env["KEY"];': "no-restricted-imports",
  'import { homedir } from "node:os";\nexport const home = homedir();': "no-restricted-imports",
  'export const order = ["b"].sort((a, b) => a.localeCompare(b));': "no-restricted-properties",
  'export const page = await fetch("http://localhost");': "no-restricted-globals",
  'export const today = new Intl.DateTimeFormat("en").format();': "no-restricted-globals",
  'export const when = new Event("x").timeStamp;': "no-restricted-globals",
  'export const asked = new Request("http://localhost");': "no-restricted-globals",
  "export const channel = new MessageChannel();": "no-restricted-globals",
  'import { connect } from "node:net";\nexport const socket = connect(1);': "no-restricted-imports",
  'import { get } from "node:http";\nexport const reply = get("http://localhost");': "no-restricted-imports",
  'import { readFileSync } from "node:fs";\nexport const text = readFileSync("x");': "no-restricted-imports",
  'import { readFile } from "fs/promises";\nexport const text = await readFile("x");': "no-restricted-imports",
  'export const fs = await import("node:fs");': "no-restricted-imports",
  'import { spawn } from "node:child_process";\nexport const child = spawn("true");': "no-restricted-imports",
  'import { setTimeout as sleep } from "node:timers/promises";\nawait sleep(1);': "no-restricted-imports",
  'import { execa } from "execa";\nexport const child = await execa("true");': "no-restricted-imports",
  'console.log("hello");': "no-console",
};

/** What a family of generated tasks may not ask, because a seed gives the same task on every machine. */
const undrawn: Record<string, string> = {
  "export const at = Date.now();": "no-restricted-globals",
  "export const dice = Math.random();": "no-restricted-properties",
  'export const home = process.env["HOME"];': "no-restricted-globals",
  'export const order = ["b"].sort((a, b) => a.localeCompare(b));': "no-restricted-properties",
};

/** Rules that hold in every folder. */
const everywhere: Record<string, string> = {
  "export const cast = (x: unknown): number => x as any;": "no-explicit-any",
  "const work = async (): Promise<void> => {};\nwork();\nexport { work };": "no-floating-promises",
  "const work = async (): Promise<boolean> => true;\nexport const odd = work() ? 1 : 2;": "no-misused-promises",
  "const forgotten = 1;\nexport const kept = 2;": "no-unused-vars",
  'import { part } from "./part.ts";\nexport type Part = typeof part;': "consistent-type-imports",
  'export type Part = import("./part.ts").Part;': "consistent-type-imports",
  'export const same = (a: unknown): boolean => a == "1";': "eqeqeq",
  'export function fail(): never {\n  throw "text";\n}': "only-throw-error",
  "export const first = (list: number[]): number => list[0]!;": "no-non-null-assertion",
  'export function name(kind: "a" | "b"): string {\n  switch (kind) {\n    case "a":\n      return "A";\n  }\n  return "";\n}':
    "switch-exhaustiveness-check",
  "// oxlint-disable-next-line eqeqeq\nexport const fine = 1;": "Unused",
};

afterAll(() => {
  for (const root of trees) rmSync(root, { recursive: true, force: true });
});

describe("lint holds the house up", () => {
  const files: Record<string, string> = { ...parts };
  const expected: { title: string; path: string; rule: string }[] = [];
  const forbid = (title: string, path: string, text: string, rule: string): void => {
    files[path] = text;
    expected.push({ title, path, rule });
  };
  floors.forEach(([from, to], i) => {
    forbid(
      `${from} imports ${to}`,
      `${from}/up-${i}.ts`,
      `import { part } from "${up(from)}${to}/part.ts";\nexport const taken = part;\n`,
      "no-restricted-imports",
    );
  });
  forbid(
    "a deep folder imports a higher floor",
    "harness/a/b/deep.ts",
    'import { part } from "./../../../evals/part.ts";\nexport const taken = part;\n',
    "no-restricted-imports",
  );
  forbid(
    "a higher floor comes in by import()",
    "harness/lazy.ts",
    'export const lazy = () => import("../evals/part.ts");\n',
    "no-restricted-imports",
  );
  forbid("a higher floor is passed on", "tasks/again.ts", 'export { part } from "../evals/part.ts";\n', "no-restricted-imports");
  forbid(
    "a type comes from a higher floor",
    "traces/type.ts",
    'import type { part } from "../evals/part.ts";\nexport type Part = typeof part;\n',
    "no-restricted-imports",
  );
  forbid(
    "a folder imports the public entry",
    "evals/entry.ts",
    'import { entry } from "../index.ts";\nexport const taken = entry;\n',
    "no-restricted-imports",
  );
  forbid(
    "a folder imports the package by name",
    "evals/self.ts",
    'import { entry } from "forge-lab";\nexport const taken = entry;\n',
    "no-restricted-imports",
  );
  for (const folder of ["harness", "traces", "evals", "reports"])
    forbid(`${folder} prints`, `${folder}/prints.ts`, 'process.stderr.write("a word");\n', "no-restricted-properties");
  files["evals/ring-b.ts"] = 'import { a } from "./ring-a.ts";\nexport const b = (): unknown => a;\n';
  forbid(
    "two files import each other",
    "evals/ring-a.ts",
    'import { b } from "./ring-b.ts";\nexport const a = (): unknown => b;\n',
    "no-cycle",
  );
  for (const folder of ["harness/agent", "harness/contract", "middleware"]) {
    Object.entries(ambient).forEach(([text, rule], i) =>
      forbid(`${folder} reaches the world: ${text}`, `${folder}/ambient-${i}.ts`, `${text}\n`, rule),
    );
  }
  Object.entries(undrawn).forEach(([text, rule], i) =>
    forbid(`a generated family asks the machine: ${text}`, `tasks/generated/families/undrawn-${i}.ts`, `${text}\n`, rule),
  );
  Object.entries(everywhere).forEach(([text, rule], i) => forbid(`anywhere: ${text}`, `evals/rule-${i}.ts`, `${text}\n`, rule));
  forbid(
    "a test is left focused",
    "test/focus.test.ts",
    'import { expect, it } from "vitest";\nit.only("x", () => {\n  expect(1).toBe(1);\n});\n',
    "no-focused-tests",
  );

  let found: string[] = [];
  beforeAll(async () => {
    found = await lint(tree(files));
  });

  it.each(expected)("fails when $title", ({ path, rule }) => {
    expect(found.filter((line) => line.startsWith(`${path} `)).join("\n")).toContain(rule);
  });

  it("says nothing about code that keeps the rules", async () => {
    const clean = tree({
      ...parts,
      "harness/agent/pure.ts": [
        'import { createHash } from "node:crypto";',
        'import { posix } from "node:path";',
        'import { z } from "zod";',
        'import { part } from "../part.ts";',
        "export const name = z.string();",
        'export const hash = (text: string): string => createHash("sha256").update(posix.normalize(text)).digest("hex").slice(part);',
        "",
      ].join("\n"),
      "middleware/down.ts": 'import { part } from "../harness/part.ts";\nexport const taken = part;\n',
      "harness/clock.ts": "export const now = (): number => Date.now();\n",
      "evals/down.ts":
        'import { part } from "../harness/part.ts";\nimport { part as other } from "../traces/part.ts";\nexport const both = part + other;\n',
      "cli/down.ts":
        'import { part } from "../reports/part.ts";\nexport const lazy = async (): Promise<number> => part + (await import("../evals/part.ts")).part;\n',
      "test/any.test.ts":
        'import { expect, it } from "vitest";\nimport { part } from "../cli/part.ts";\nit("is one", () => {\n  expect(part).toBe(1);\n});\n',
    });
    expect(await lint(clean)).toEqual([]);
  });
});

describe("knip", () => {
  const used = { "index.ts": 'export { used } from "./harness/part.ts";\n' };

  it("fails on an export that nothing uses and on a file that nothing imports", async () => {
    const root = tree({
      ...used,
      "harness/part.ts": "export const used = 1;\nexport const dead = 2;\n",
      "harness/lost.ts": "export const lost = 3;\n",
    });
    const { code, all } = await run("knip", ["--include", "files,exports,types", "--no-config-hints"], root);
    expect(code).toBe(1);
    expect(all).toMatch(/dead\s+harness\/part\.ts/);
    expect(all).toContain("harness/lost.ts");
    expect(all).not.toMatch(/\bused\s+harness/);
  });

  it("passes when every export is used", async () => {
    const root = tree({ ...used, "harness/part.ts": "export const used = 1;\n" });
    expect(await run("knip", ["--include", "files,exports,types", "--no-config-hints"], root)).toMatchObject({ code: 0 });
  });
});

describe("prettier", () => {
  // Without a cache of its own it removes the one below node_modules, which is the repository's.
  const check = ["--check", "--cache", "--cache-location", "cache"];
  it("fails on an unformatted file and passes on a formatted one", async () => {
    expect((await run("prettier", [...check, "."], tree({ "harness/part.ts": "export const part =   1\n" }))).all).toContain(
      "harness/part.ts",
    );
    expect(await run("prettier", [...check, "harness"], tree({ "harness/part.ts": "export const part = 1;\n" }))).toMatchObject({
      code: 0,
    });
  });
});
