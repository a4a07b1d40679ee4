import { execFile } from "node:child_process";
import { mkdir, mkdtemp, open, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../../harness/errors.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { complaint, harborTask, terminalBenchTask } from "../write-task.ts";
import { draws } from "../../needs.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "forge-hostile-"));
});
afterEach(() => rm(parent, { recursive: true }));

type Harm = (folder: string) => Promise<unknown>;
const harms: readonly (readonly [string, Harm, string])[] = [
  ["an instruction that is a link to a secret", (at) => replace(at, "instruction.md", "/etc/passwd"), "is a link out of the task's folder"],
  ["a test folder that is a link", (at) => replace(at, "tests", "/etc"), "is a link out of the task's folder"],
  ["a link that climbs", (at) => symlink("../../..", join(at, "environment", "up")), "is a link out of the task's folder"],
  [
    "a link out of it to nothing",
    (at) => symlink("/nowhere/at/all", join(at, "environment", "late")),
    "is a link out of the task's folder",
  ],
  ["a link that climbs to nothing", (at) => symlink("../../../not/there", join(at, "tests", "late")), "is a link out of the task's folder"],
  ["a pipe", (at) => promisify(execFile)("mkfifo", [join(at, "tests", "pipe")]), "is a pipe, a socket or a device"],
  ["a task.toml that is a folder", (at) => rm(join(at, "task.toml")).then(() => mkdir(join(at, "task.toml"))), "is not a plain file"],
  [
    "an instruction of five megabytes",
    (at) => writeFile(join(at, "instruction.md"), "a".repeat(5 * 1024 ** 2)),
    "at most 4194304 are read",
  ],
  ["a file of twenty terabytes", (at) => sparse(join(at, "environment", "huge"), 15 * 1024 ** 4), "more than 17179869184"],
  ["an instruction that is not text", (at) => writeFile(join(at, "instruction.md"), Buffer.from([0xff, 0xfe, 0])), "is not UTF-8 text"],
  ["a key set twice", (at) => writeFile(join(at, "task.toml"), "[agent]\n[agent]\n"), "this is not valid TOML"],
  ["tables without end", (at) => writeFile(join(at, "task.toml"), `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`), "task.toml"],
  ["an artifact that climbs", (at) => writeFile(join(at, "task.toml"), 'artifacts = ["../../root/.ssh"]'), "leads upwards"],
  [
    "a path that steers a terminal",
    (at) => writeFile(join(at, "environment", "docker-compose.yaml"), '{"services": {"main": {"build": "x\\u001b[2J"}}}'),
    "does not exist",
  ],
  [
    "a file that is a control character",
    (at) => writeFile(join(at, "environment", "docker-compose.yaml"), "\u007f"),
    "expected a table, got",
  ],
  ["a name that steers a terminal", (at) => writeFile(join(at, "task.toml"), '[task]\nname = "\\u001b]0;x\\u0007"'), "cannot be a name"],
];

async function replace(folder: string, part: string, target: string): Promise<void> {
  await rm(join(folder, part), { recursive: true });
  await symlink(target, join(folder, part));
}

async function sparse(path: string, bytes: number): Promise<void> {
  await (await open(path, "w")).close();
  await truncate(path, bytes);
}

describe("a task that means harm", () => {
  it.each(harms)("with %s is refused in one sentence", async (_, harm, expected) => {
    const folder = await harborTask(join(parent, "task"));
    await harm(folder);
    expect(await complaint(loadTask(folder))).toContain(expected);
  });

  it("does not keep its neighbours from being loaded", async () => {
    await harborTask(join(parent, "good"));
    for (const [index, [, harm]] of harms.entries()) await harm(await harborTask(join(parent, `bad-${String(index).padStart(2, "0")}`)));
    await harborTask(join(parent, "new\nline"));
    await terminalBenchTask(join(parent, "also-bad"), { "docker-compose.yaml": "services: {client: {privileged: true, image: x}}\n" });
    const suite = await loadSuite(parent);
    expect(suite.tasks.map(({ name }) => name)).toEqual(["good"]);
    // The folder instead of a task.toml still counts as a task: leaving it out in silence would make the suite smaller than it says.
    expect(suite.refused?.length).toBe(harms.length + 2);
    for (const { reason } of suite.refused ?? []) expect(reason).toMatch(/^\P{Cc}*\.$/u);
  });

  it("may link within each of its parts, and to what is not there", async () => {
    const folder = await harborTask(join(parent, "task"), { "environment/app/in.txt": "" });
    await symlink("app/in.txt", join(folder, "environment", "inside"));
    await symlink("../Dockerfile", join(folder, "environment", "app", "up"));
    await symlink("nothing", join(folder, "environment", "dangling"));
    await symlink("../environment/app", join(folder, "solution", "data")); // nobody but who runs the solution has it
    expect((await loadTask(folder)).name).toBe("task");
  });

  it.each(["environment", "tests"])("may not link out of %s, which is copied into a sandbox alone", async (part) => {
    const folder = await harborTask(join(parent, "task"));
    await symlink("../instruction.md", join(folder, part, "seed"));
    expect(await complaint(loadTask(folder))).toBe(
      `${join(folder, part, "seed")}: is a link to "../instruction.md", outside of ${join(folder, part)}, which is copied into the sandbox alone. Put the file itself there.`,
    );
  });

  it("is refused where its folder's name is no text, and its neighbours are loaded", async () => {
    await harborTask(join(parent, "good"));
    const bad = Buffer.concat([Buffer.from(`${parent}/bad`), Buffer.from([0xff])]);
    await mkdir(bad);
    await writeFile(Buffer.concat([bad, Buffer.from("/task.toml")]), "");
    const { tasks, refused } = await loadSuite(parent);
    expect(tasks.map(({ name }) => name)).toEqual(["good"]);
    expect(refused?.map(({ reason }) => reason)).toEqual([
      `${join(parent, "bad\ufffd")}: the name of this folder is not UTF-8 text. Rename it.`,
    ]);
  });

  it("keeps apart files whose names differ only by a backslash", async () => {
    const one = await harborTask(join(parent, "one"), { "tests/a\\b": "", "tests/a/c": "" });
    const two = await harborTask(join(parent, "two"), { "tests/a/b": "", "tests/a/c": "" });
    expect((await loadTask(one)).digest).not.toBe((await loadTask(two)).digest);
  });
});

/** Loads what fuzzing wrote: a task, or a sentence; never anything else. */
async function loadsOrComplains(folder: string): Promise<void> {
  try {
    expect((await loadTask(folder)).instruction).not.toBe("");
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(/^\P{Cc}*$/u); // an error by the line above
  }
}

const keys = fc.constantFrom(
  ..."agent verifier environment steps artifacts metadata forge task name timeout_sec env user network_mode allowed_hosts healthcheck command mcp_servers collect source cpus memory gpus __proto__ constructor instruction parser_name services client main build image volumes networks depends_on deploy resources limits".split(
    " ",
  ),
  "a b",
  "",
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("allowlist", "${X}", "..", "/a:/b", "10s", "1G", "x\u001B[2J", 0, -1, 1.5, true, null, "separate"),
    fc.string(),
    fc.double(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;

/** A table as TOML on one line; nothing for null, which TOML has not. */
function toml(value: unknown): string {
  if (Array.isArray(value))
    return `[${value
      .filter((one) => one !== null)
      .map(toml)
      .join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([key, one]) => `${JSON.stringify(key)} = ${toml(one)}`)
      .join(", ")}}`;
  if (typeof value === "number") return Number.isFinite(value) ? String(value).replace(/^(-?\d+)e/, "$1.0e") : "nan";
  return JSON.stringify(value) ?? '""';
}

describe("whatever stands in its files, a task is a task or one sentence", () => {
  const runs = { numRuns: draws(40) };

  it("in task.toml", async () => {
    const folder = await harborTask(join(parent, "task"));
    const table = fc.dictionary(keys, values, { maxKeys: 5 });
    const texts = fc.oneof(
      {
        weight: 3,
        arbitrary: table.map((all) =>
          Object.entries(all)
            .map(([key, value]) => `${JSON.stringify(key)} = ${toml(value)}\n`)
            .join(""),
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    );
    const law = fc.asyncProperty(texts, async (text) => {
      await writeFile(join(folder, "task.toml"), text);
      await loadsOrComplains(folder);
    });
    await fc.assert(law, runs);
  });

  it("in task.yaml, solution.yaml and docker-compose.yaml", async () => {
    const folder = await terminalBenchTask(join(parent, "task"));
    await rm(join(folder, "solution.sh"));
    const any = fc.oneof(
      { weight: 4, arbitrary: values.map((value) => JSON.stringify(value) ?? "") },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
      { weight: 1, arbitrary: fc.constantFrom("&a [*a]", "*b", "? {a: 1}\n: 2", "<<: 7", "!!js/function x", "--- 1\n--- 2", "%TAG ! x") },
    );
    const service = fc.dictionary(keys, values, { maxKeys: 6 });
    const compose = fc.oneof(
      any,
      service.map((client) => JSON.stringify({ services: { client } })),
    );
    const yaml = fc.oneof(
      any,
      values.map((more) => JSON.stringify({ instruction: "x", tags: more, max_test_timeout_sec: 5 })),
    );
    const written: readonly (readonly [string, fc.Arbitrary<string>])[] = [
      ["task.yaml", yaml],
      ["docker-compose.yaml", compose],
      ["solution.yaml", any],
    ];
    for (const [file, texts] of written) {
      await terminalBenchTask(folder);
      await rm(join(folder, "solution.sh"));
      const law = fc.asyncProperty(texts, async (text) => {
        await writeFile(join(folder, file), text);
        await loadsOrComplains(folder);
      });
      await fc.assert(law, runs);
    }
  });
});
