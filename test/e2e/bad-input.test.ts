import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { retryPolicy } from "../../harness/models/retry/retry.ts";
import { forgeHere } from "../cli/forge-here.ts";
import { needs } from "../needs.ts";
import { startModelServer } from "../servers/model-server.ts";
import { built, cleanUp, emptyFolder, forge, jsonLines, listing, put, type Answer } from "./forge.ts";

beforeAll(built);
afterAll(cleanUp);

const greet = join(import.meta.dirname, "../../tasks/suites/demo/greet");
const local = ["--sandbox", "local", "--out", "job"];
/** A folder with a copy of a good task in it, and other files. */
function withTask(files: Readonly<Record<string, string>> = {}): string {
  const folder = emptyFolder();
  cpSync(greet, join(folder, "task"), { recursive: true });
  for (const [path, content] of Object.entries(files)) put(folder, path, content);
  return folder;
}

/** One finished sentence as the last word on standard error, no stack, and nothing said to a program that reads standard output. */
function told(answer: Answer, code: number, ...words: readonly (string | RegExp)[]): void {
  expect(answer.stderr).not.toMatch(/^\s+at /m);
  expect(answer.stderr).not.toContain("defect of Forge");
  const sentences = answer.stderr.split("\n").filter((line) => line.startsWith("error: "));
  expect(sentences, answer.stderr).toHaveLength(1);
  expect(sentences[0]).toMatch(/[.)?]$/);
  for (const word of words) expect(sentences[0]).toMatch(word);
  expect(answer.code, answer.stderr).toBe(code);
}

interface Case {
  readonly what: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly code: number;
  readonly says: readonly (string | RegExp)[];
  readonly env?: Record<string, string>;
}
const bench = (...args: string[]): string[] => ["bench", "demo", "--filter", "greet", ...args, ...local];
const cases: readonly Case[] = [
  {
    what: "an unknown key",
    files: { "a.yaml": "extends: bare\nmodell: {name: sim/default}\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["modell: unknown key", 'did you mean "model"', "a.yaml:2"],
  },
  {
    what: "an unknown key of a middleware",
    files: { "a.yaml": "middleware:\n  - {name: loop-detection, fileSofd: 4}\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: [/middleware\[0\]\.fileSofd/, "a.yaml:2"],
  },
  {
    what: "a value of the wrong type",
    files: { "a.yaml": "limits:\n  turns: many\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["limits.turns: expected a whole number ≥ 1", 'got "many"', "a.yaml:2"],
  },
  {
    what: "broken YAML",
    files: { "a.yaml": "model: [\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["Not valid YAML", /a\.yaml:\d/],
  },
  {
    what: "a missing configuration",
    args: bench("--config", "gone.yaml"),
    code: 2,
    says: ["--config gone.yaml", "bare, article, standard"],
  },
  { what: "an unknown provider", args: bench("--model", "nobody/x"), code: 2, says: ["model.name", '"nobody"', "anthropic, openai"] },
  { what: "an unknown simulated model", args: bench("--model", "sim/nobody"), code: 2, says: ["sim/nobody", "sim/default"] },
  { what: "a model without a provider", args: bench("--model", "gpt"), code: 2, says: ["model.name", "provider/name", '"gpt"'] },
  { what: "a model without a key", args: bench("--model", "openai/gpt"), code: 2, says: ["OPENAI_API_KEY", "export"] },
  {
    what: "a model server that does not answer",
    args: ["bench", "demo", "--model", "local/x", "--base-url", "http://127.0.0.1:9/v1", "--sandbox", "bubblewrap", "--out", "job"],
    code: 3,
    says: ["http://127.0.0.1:9/v1 does not respond", "--base-url"],
  },
  {
    what: "a Docker socket that is not there",
    args: ["bench", "demo", "--sandbox", "docker", "--out", "job"],
    env: { DOCKER_HOST: "unix:///nowhere/docker.sock" },
    code: 3,
    says: ["unix:///nowhere/docker.sock", /install Docker|start/],
  },
  {
    what: "a Docker daemon that does not answer",
    args: ["bench", "demo", "--sandbox", "docker", "--out", "job"],
    env: { DOCKER_HOST: "tcp://127.0.0.1:9" },
    code: 3,
    says: ["tcp://127.0.0.1:9", "start it"],
  },
  {
    what: "a middleware file that throws while it is loaded",
    files: { "a.yaml": "middleware: [./bad.ts]\n", "bad.ts": 'throw new Error("boom");\n' },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["bad.ts:1 threw while it was loaded: boom", "a.yaml:1"],
  },
  {
    what: "a middleware file that exports something else",
    files: { "a.yaml": "middleware: [./bad.ts]\n", "bad.ts": "export default 3;\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["bad.ts", "not a middleware", "export default middleware", "a.yaml:1"],
  },
  {
    what: "a middleware file that is missing",
    files: { "a.yaml": "middleware: [./gone.ts]\n" },
    args: bench("--config", "a.yaml"),
    code: 2,
    says: ["gone.ts", "a.yaml:1"],
  },
  { what: "an unknown suite", args: ["bench", "nosuite", ...local], code: 2, says: ['suite "nosuite"', "builtin and demo"] },
  { what: "a filter that fits nothing", args: ["bench", "demo", "--filter", "zzz*", ...local], code: 2, says: ["--filter", "greet"] },
  { what: "no repeats", args: bench("--repeats", "0"), code: 2, says: ["--repeats", 'got "0"'] },
  {
    what: "a file in the place of the job",
    files: { "notes.txt": "mine\n" },
    args: ["bench", "demo", "--agent", "oracle", "--sandbox", "local", "--out", "notes.txt/job"],
    code: 2,
    says: ["notes.txt/job cannot hold the job", "notes.txt is a file", "Name another place"],
  },
  {
    what: "a place at which no folder can be made",
    args: ["bench", "demo", "--agent", "oracle", "--sandbox", "local", "--out", "/proc/none/job"],
    code: 2,
    says: ["/proc/none/job cannot hold the job", "Name another place"],
  },
  {
    what: "an unknown sandbox",
    args: ["bench", "demo", "--sandbox", "chroot", "--out", "job"],
    code: 2,
    says: ["--sandbox", "bubblewrap", '"chroot"'],
  },
  {
    what: "an unknown sandbox of a run",
    args: ["run", "x", "--sandbox", "docker"],
    code: 2,
    says: ["--sandbox", "bubblewrap", '"docker"'],
  },
  { what: "an unknown agent", args: bench("--agent", "human"), code: 2, says: ["--agent", "oracle, nop", '"human"'] },
  { what: "an unknown command", args: ["bensh"], code: 2, says: ["unknown command 'bensh'", "did you mean bench?"] },
  { what: "an unknown option", args: bench("--repeat", "3"), code: 2, says: ["unknown option '--repeat'", "did you mean --repeats?"] },
  { what: "a folder that is no job", args: ["compare", "."], code: 3, says: ["no job of Forge", "--format"] },
  { what: "a job's folder that is missing", args: ["compare", "gone"], code: 3, says: ['There is no job "gone"', "forge jobs list"] },
  { what: "a run's folder that is missing", args: ["replay", "gone"], code: 3, says: ["no folder gone"] },
  { what: "a folder without a trace", args: ["replay", "."], code: 3, says: ["no trace.jsonl"] },
  { what: "nothing to do", args: ["run", "--model", "openai/x"], code: 2, says: ["No task was given", "forge run"] },
  {
    what: "a run with a simulated model",
    args: ["run", "x", "--model", "sim/default"],
    code: 2,
    says: ["sim/default is simulated", "real model"],
  },
];

describe("bad input is told in one sentence with its cure, and leaves nothing behind:", () => {
  it.each(cases)(
    "$what",
    async ({ files = {}, args, code, says, env }) => {
      const folder = emptyFolder(files);
      const before = listing(folder);
      const answer = await forgeHere(args, { cwd: folder, ...(env ? { env } : {}) });
      told(answer, code, ...says);
      expect(answer.stdout).toBe("");
      expect(listing(folder)).toEqual(before);
    },
    60_000,
  );

  const tasks = [
    { what: "without a verifier", remove: "tests", says: ["task/tests/test.sh", "Add the script"] },
    { what: "without an instruction", remove: "instruction.md", says: ["task/instruction.md", "Write"] },
    { what: "with broken TOML", toml: 'version = "1.0"\n[agent\n', says: [/task\.toml:2/, "not valid TOML", "Correct line 2"] },
    {
      what: "with a wrong type",
      toml: 'version = "1.0"\n[agent]\ntimeout_sec = "soon"\n',
      says: [/task\.toml:3/, "agent.timeout_sec", '"soon"'],
    },
  ];
  it.each(tasks)(
    "a task $what",
    async ({ remove, toml, says }) => {
      const folder = withTask(toml === undefined ? {} : { "task/task.toml": toml });
      if (remove !== undefined) rmSync(join(folder, "task", remove), { recursive: true });
      told(await forgeHere(["bench", "task", "--agent", "oracle", ...local], { cwd: folder }), 2, ...says);
      expect(existsSync(join(folder, "job"))).toBe(false);
    },
    60_000,
  );

  it("--debug shows the stack", async () => {
    const folder = emptyFolder();
    const answer = await forgeHere(["--debug", "compare", "gone"], { cwd: folder });
    expect(answer.stderr).toMatch(/^\s+at /m);
    expect(answer.code).toBe(3);
  }, 60_000);
});

describe("what comes out while a command works is reported in one sentence with its cure:", () => {
  it.each(["openai", "anthropic"])(
    "a model that answers garbage (%s)",
    async (provider) => {
      // The tries before the last are failures that name their wait: garbage is waited for as long as any other failure.
      const replies = Array.from({ length: retryPolicy.attempts - 1 }, () => ({ status: 503, headers: { "retry-after": "0" } }));
      const garbage = { raw: "<html>Welcome!</html>\n\n", contentType: "text/html" };
      const server = await startModelServer({ replies, always: () => garbage });
      try {
        const folder = emptyFolder();
        const url = provider === "openai" ? server.url : server.origin;
        const answer = await forgeHere(
          ["run", "x", "--model", `${provider}/x`, "--base-url", url, "--config", "bare", "--sandbox", "local"],
          {
            cwd: folder,
          },
        );
        told(answer, 3, `${provider}/x`, "name another model");
        expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(retryPolicy.attempts);
        expect((await forgeHere(["replay", ".forge/runs"], { cwd: folder })).code).toBe(0);
      } finally {
        await server.close();
      }
    },
    120_000,
  );

  it("a middleware that throws while it works ends a bench and a run as a mistake of the configuration, named", async () => {
    const throwing =
      'import { middleware } from "forge-lab";\nimport { z } from "zod";\nexport default middleware("bad", "1", z.strictObject({}), () => ({ async start() { throw new Error("boom"); } }));\n';
    const folder = emptyFolder({ "a.yaml": "extends: bare\nmiddleware: [./bad.ts]\n", "bad.ts": throwing });
    told(await forgeHere(bench("--config", "a.yaml"), { cwd: folder }), 2, "bad.ts:3) threw in its start phase: boom", "off: true");
    put(folder, "bad.ts", throwing.replace('throw new Error("boom")', "return undefined"));
    const mended = await forgeHere(bench("--config", "a.yaml", "--json"), { cwd: folder });
    expect(mended.code, mended.stderr).toBe(0);
    expect(jsonLines(mended.stdout).at(-1)).toMatchObject({ type: "job.end", result: { status: "finished", recorded: 1 } });
    put(folder, "bad.ts", throwing);
    const run = await forgeHere(
      ["run", "x", "--config", "a.yaml", "--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1", "--sandbox", "local"],
      { cwd: folder },
    );
    told(run, 2, "bad.ts:3) threw in its start phase: boom");
  }, 120_000);
});

describe("an image that does not build", () => {
  const broken = "FROM forge-base/debian:bookworm\nWORKDIR /app\nRUN echo half way && exit 7\n";
  it.skipIf(needs("docker")).each(["docker"])("in %s names its step, and once it is mended the same command goes on", buildsIn, 180_000);
  it.skipIf(needs("bubblewrap")).each(["bubblewrap"])(
    "in %s names its step, and once it is mended the same command goes on",
    buildsIn,
    60_000,
  );

  async function buildsIn(sandbox: string): Promise<void> {
    const folder = withTask({ "task/environment/Dockerfile": broken });
    const command = ["bench", "task", "--agent", "nop", "--sandbox", sandbox, "--out", "job", "--json"];
    const failed = await forgeHere(command, { cwd: folder });
    expect(failed.code, failed.stderr).toBe(1);
    const retry = jsonLines(failed.stdout).find(({ type }) => type === "trial.retry");
    expect(retry).toMatchObject({ class: "infra", again: false });
    for (const part of ["task/environment/Dockerfile", "exit 7", "half way", /[Cc]orrect/]) expect(retry?.["error"]).toMatch(part);
    put(folder, "task/environment/Dockerfile", broken.replace("exit 7", "exit 0"));
    const mended = await forgeHere(command, { cwd: folder });
    expect(mended.code, mended.stderr).toBe(0);
    expect(jsonLines(mended.stdout).at(-1)).toMatchObject({ result: { status: "finished", recorded: 1 } });
  }
});

it("a reader who has seen enough of the output is no error", async () => {
  const answer = await forge(["bench", "--help"], { cwd: emptyFolder(), under: ["bash", "-c", 'set -o pipefail; "$@" | true', "bash"] });
  expect([answer.code, answer.stderr]).toEqual([0, ""]);
}, 60_000);

describe("a full disk", () => {
  const asked = ["bench", "demo", "--filter", "greet", "--agent", "nop", "--sandbox", "local", "--out"];
  const mounted = (folder: string, size: string): boolean =>
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status === 0;

  it("is told as such, and the same command goes on when there is room again", async () => {
    const folder = emptyFolder();
    const small = join(folder, "small");
    mkdirSync(small);
    if (!mounted(small, "24k")) {
      // no right to mount: a limit on the size of files refuses in the same place
      told(
        await forge([...asked, "job"], { cwd: folder, under: ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh"] }),
        3,
        /full|larger/,
        "same command",
      );
      return;
    }
    try {
      // In one process, which lives on: nothing of the first bench may hold the second one up.
      told(await forgeHere([...asked, "small/job"], { cwd: folder }), 3, /disk is full|no space/i, "again");
      expect(spawnSync("mount", ["-o", "remount,size=50m", small]).status).toBe(0);
      const again = await forgeHere([...asked, "small/job"], { cwd: folder });
      expect(again.code, again.stderr).toBe(0);
      expect((await forgeHere(["replay", "small/job"], { cwd: folder })).code).toBe(0);
    } finally {
      spawnSync("umount", [small]);
    }
  }, 120_000);

  it("a file that may not grow is told as such", async () => {
    const folder = emptyFolder();
    const answer = await forge([...asked, "job"], { cwd: folder, under: ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"] });
    told(answer, 3, /larger|too large/, /again/);
    expect(existsSync(join(folder, "job/result.json"))).toBe(false);
  }, 60_000);
});
