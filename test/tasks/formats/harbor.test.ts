import { chmod, cp, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../../harness/errors.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { withSolutions } from "../../../tasks/has-solution.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "forge-harbor-"));
});
afterEach(() => rm(parent, { recursive: true }));

/** Writes a task with this task.toml; other parts are the smallest that load. */
async function task(toml: string, name = "some-task"): Promise<string> {
  const folder = join(parent, name);
  for (const part of ["environment", "tests", "solution"]) await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, "task.toml"), toml);
  await writeFile(join(folder, "instruction.md"), "Do it.\n");
  await writeFile(join(folder, "environment", "Dockerfile"), "FROM debian:bookworm\n");
  await writeFile(join(folder, "tests", "test.sh"), "echo 1 > /logs/verifier/reward.txt\n");
  await writeFile(join(folder, "solution", "solve.sh"), "true\n");
  return folder;
}

async function complaint(loading: Promise<unknown>): Promise<string> {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error instanceof Error ? error.message : "";
}

describe("a task in Harbor's format", () => {
  it("gets every key that its runner acts on", async () => {
    const folder = await task(`
version = "1.0"
[metadata]
author_name = "A"
author_email = "a@example.com"
difficulty = "hard"
category = "security"
tags = ["x", "y"]
[verifier]
timeout_sec = 900.5
[verifier.env]
KEY = "\${TOKEN}"
MODE = "\${MODE:-fast}"
PLAIN = "a \${TOKEN} b"
[agent]
timeout_sec = 1800
[environment]
build_timeout_sec = 60.0
docker_image = "org/image:1"
cpus = 2
memory = "2G"
storage_mb = 10240
allow_internet = false
[environment.env]
A = "1"
[solution.env]
B = "2"
`);
    const loaded = await loadTask(folder, { variables: { TOKEN: "secret" }, taskEnv: ["TOKEN"] });
    expect(loaded).toMatchObject({
      name: "some-task",
      instruction: "Do it.\n",
      environment: {
        folder: join(folder, "environment"),
        image: "org/image:1",
        buildTimeoutMs: 60_000,
        cpus: 2,
        memoryMb: 2048,
        storageMb: 10240,
        network: false,
        env: { A: "1" },
      },
      agent: { timeoutMs: 1_800_000 },
      verifier: { timeoutMs: 900_500, env: { KEY: "secret", MODE: "fast", PLAIN: "a ${TOKEN} b" } },
      solution: { env: { B: "2" } },
      metadata: { difficulty: "hard", category: "security", tags: ["x", "y"] },
      own: false,
      warnings: [],
    });
    expect(loaded.forge).toBeUndefined();
  });

  it("has the format's defaults: network on, ten minutes each, no limits", async () => {
    const loaded = await loadTask(await task(""));
    expect(loaded.environment).toEqual({
      name: "some-task",
      folder: join(loaded.folder, "environment"),
      buildTimeoutMs: 600_000,
      network: true,
      networkPolicy: { mode: "public" },
      mcpServers: [],
      env: {},
    });
    expect([loaded.agent.timeoutMs, loaded.verifier.timeoutMs]).toEqual([600_000, 600_000]);
  });

  it("takes its name from [task], the network from the newer key, and hardened mode from [metadata.forge]", async () => {
    const loaded = await loadTask(
      await task(
        'schema_version = "1.1"\n[task]\nname = "org/it"\n[environment]\nnetwork_mode = "no-network"\n[metadata.forge]\nfamily = "git"\nsplit = "test"\nlocal = true\nverify = "live"\npaths = ["/app", "/srv"]\n',
      ),
    );
    expect(loaded).toMatchObject({
      name: "org/it",
      environment: { network: false },
      metadata: { family: "git", split: "test" },
      forge: { local: true, verify: "live", paths: ["/app", "/srv"] },
    });
  });

  it("names an unknown key once and leaves it out", async () => {
    const folder = await task("[environment]\ncpu = 2\n[verifier]\nretries = 1\nspeed = 2\n");
    const { warnings } = await loadTask(folder);
    const keys = warnings.map((warning) => warning.replace(`${join(folder, "task.toml")}: `, "").split(" is not a key")[0]);
    expect(keys).toEqual(["verifier.retries", "verifier.speed", "environment.cpu"]);
  });

  it.each([
    ['[agent]\ntimeout_sec = "600"\n', 'task.toml:2: agent.timeout_sec: expected a number, got "600"'],
    ["[environment]\ncpus = 0\n", "task.toml:2: environment.cpus: expected at least 0.01, got 0"],
    ["[environment]\ncpus = 1e12\n", "environment.cpus: expected at most 100000, got 1000000000000"],
    ["[environment]\nmemory_mb = 1\n", "environment.memory_mb: expected at least 6, got 1"],
    ["[environment]\nmemory_mb = 999999999999\n", "environment.memory_mb: expected at most 1073741824"],
    ['[environment]\nmemory = "0.0001K"\n', 'environment.memory: expected a size from 6M to 1073741824M, got "0.0001K"'],
    ['[environment]\nstorage = "1K"\n', "environment.storage: expected a size from 1M"],
    ['[environment]\ndocker_image = "../../x y"\n', "environment.docker_image: expected the name of an image"],
    ['[environment]\ndocker_image = "-v"\n', "environment.docker_image: expected the name of an image"],
    ['[environment]\nworkdir = "/a\\nb"\n', "environment.workdir: expected an absolute path in the container, without control characters"],
    ['[environment.env]\n"A=B" = "x"\n', 'environment.env: expected a table whose names have no "=" and no NUL'],
    ['[environment.env]\nA = "\\u0000"\n', "environment.env.A: expected text without a NUL"],
    ['artifacts = [{source = "/a", destination = "manifest.json/x"}]\n', '"manifest.json" is the list of the artifacts itself'],
    ['artifacts = [{source = "/a", destination = "./manifest.json"}]\n', '"manifest.json" is the list of the artifacts itself'],
    [
      '[[environment.mcp_servers]]\nname = "a"\ntransport = "stdio"\ncommand = "a"\nheaders = {A = "b"}\n',
      'mcp_servers.0.headers: a server with transport "stdio" is sent no headers',
    ],
    ['[environment]\nmemory = "much"\n', 'environment.memory: expected a size such as "512M" or "2G", got "much"'],
    ['[environment]\nmemory = "1G"\nmemory_mb = 1000\n', 'environment.memory: "1G" and memory_mb = 1000 contradict each other'],
    ['[metadata]\ntags = "a"\n', 'task.toml:2: metadata.tags: expected a list, got "a"'],
    ['[metadata.forge]\nsplit = "dev"\n', 'metadata.forge.split: expected one of "train", "validation", "test", got "dev"'],
    ["[agent\ntimeout_sec = 1\n", "task.toml:1: this is not valid TOML"],
    ["a = 1\nb = = 2\n", "task.toml:2: this is not valid TOML"],
    ['[verifier.env]\nK = "${NOT_THERE}"\n', 'task "some-task" needs NOT_THERE of your environment'],
    ['[environment]\nos = "windows"\n', "environment.os: the task needs containers of"],
    ["[environment]\ngpus = 2\n", "environment.gpus: the task needs 2 GPUs, and Forge runs tasks on processors alone"],
    ['[[steps]]\nname = "one"\n', "steps/one/instruction.md: the task has no steps/one/instruction.md"],
  ])("refuses %j with place and cure", async (toml, expected) => {
    expect(await complaint(loadTask(await task(toml)))).toContain(expected);
  });

  it.each(["task.toml", "instruction.md", "tests/test.sh"])("says that %s is missing", async (part) => {
    const folder = await task("");
    await rm(join(folder, part));
    expect(await complaint(loadTask(folder))).toContain(`${join(folder, part)}: the task has no ${part}. `);
  });

  it("refuses an empty instruction, an absent environment and a broken plan", async () => {
    const folder = await task("");
    await writeFile(join(folder, "solution", "plan.yaml"), "steps: []\nanswer: x\n");
    expect(await complaint(loadTask(folder))).toContain("plan.yaml: steps:");
    expect(await loadTask(folder, { plan: false })).not.toHaveProperty("plan"); // nobody asks the simulated model
    await writeFile(join(folder, "solution", "plan.yaml"), "steps:\n  - say: [\n");
    expect(await complaint(loadTask(folder))).toContain("this is not valid YAML");
    await rm(join(folder, "solution", "plan.yaml"));
    await writeFile(join(folder, "instruction.md"), " \n");
    expect(await complaint(loadTask(folder))).toContain("the instruction is empty");
    await rm(join(folder, "environment", "Dockerfile"));
    expect(await complaint(loadTask(folder))).toContain("the task has no environment");
  });
});

describe("the digest of a task", () => {
  it("is the same for a copy elsewhere with other times", async () => {
    const folder = await task("");
    await cp(folder, join(parent, "copy"), { recursive: true });
    await utimes(join(parent, "copy", "instruction.md"), 1, 1);
    expect((await loadTask(join(parent, "copy"))).digest).toBe((await loadTask(folder)).digest);
  });

  it.each<[string, (folder: string) => Promise<unknown>]>([
    ["a byte", (folder) => writeFile(join(folder, "tests", "test.sh"), "echo 0\n")],
    ["an executable bit", (folder) => chmod(join(folder, "tests", "test.sh"), 0o755)],
    ["a name", (folder) => rename(join(folder, "solution", "solve.sh"), join(folder, "solution", "other.sh"))],
    ["a new link", (folder) => symlink("test.sh", join(folder, "tests", "link"))],
  ])("changes with %s", async (_, change) => {
    const folder = await task("");
    const before = await loadTask(folder);
    await change(folder);
    expect((await loadTask(folder)).digest).not.toBe(before.digest);
  });
});

describe("a suite", () => {
  it("is a folder of tasks in the order of their names; other folders and files are passed over", async () => {
    await task("", "b");
    await task("", "a");
    await mkdir(join(parent, "c"));
    await writeFile(join(parent, "README.md"), "");
    const suite = await loadSuite(parent);
    expect(suite.tasks.map((one) => one.name)).toEqual(["a", "b"]);
  });

  it("is one task where the folder is a task", async () => {
    const suite = await loadSuite(await task("", "single"));
    expect([suite.name, suite.tasks.length]).toEqual(["single", 1]);
  });

  it("is found by the names of our own, whose tasks may run locally", async () => {
    const suite = await loadSuite("demo");
    expect([suite.name, suite.tasks.length, suite.tasks.every((one) => one.own)]).toEqual(["demo", 6, true]);
  });

  it("gives no task a variable of the user's environment that the user did not allow, and says which it wants", async () => {
    const folder = await task(
      '[environment]\nenv = { K = "${ANTHROPIC_API_KEY}", D = "${EDITOR:-ed}" }\n[solution.env]\nC = "${constructor:-none}"\n[verifier.environment]\nenv = { J = "${JUDGE_KEY}" }\n',
      "greedy",
    );
    await task("", "modest");
    const variables = { ANTHROPIC_API_KEY: "sk-1", JUDGE_KEY: "sk-2", EDITOR: "vi" };
    const refused = await loadSuite(parent, { variables, taskEnv: ["JUDGE_KEY"] });
    expect(refused.tasks.map(({ name }) => name)).toEqual(["modest"]);
    expect(refused.refused?.map(({ reason }) => reason)).toEqual([
      `${folder}/task.toml: task "greedy" needs ANTHROPIC_API_KEY of your environment, and a task gets none of it that you did not allow. If you trust the task with it, give it to forge bench by --task-env NAME; else leave the task out with --filter.`,
    ]);
    expect(await complaint(loadSuite(folder, { variables }))).toContain('task "greedy" needs ANTHROPIC_API_KEY, JUDGE_KEY of your');
    const taskEnv = ["ANTHROPIC_API_KEY", "JUDGE_KEY"];
    const allowed = await loadTask(folder, { variables, taskEnv });
    expect([allowed.environment.env, allowed.solution?.env ?? { C: "none" }]).toEqual([{ K: "sk-1", D: "ed" }, { C: "none" }]);
    expect(allowed.verifier.environment?.env).toEqual({ J: "sk-2" });
    expect(await complaint(loadTask(folder, { variables: { JUDGE_KEY: "sk-2" }, taskEnv }))).toContain(
      "environment.env.K: needs the environment variable ANTHROPIC_API_KEY, which is not set",
    );
  });

  it("leaves out what is not wanted, and refuses a task that cannot be loaded without touching its neighbours", async () => {
    await task("", "good");
    await task('[task]\nname = "o/bad"\n[environment]\nos = "windows"\n', "bad");
    const wanted = await loadSuite(parent, { wants: (name) => name !== "o/bad" });
    expect([wanted.tasks.map((one) => one.name), wanted.refused]).toEqual([["good"], undefined]);
    const all = await loadSuite(parent);
    expect(all.tasks.map((one) => one.name)).toEqual(["good"]);
    expect(all.refused).toMatchObject([{ name: "o/bad", reason: expect.stringContaining("environment.os") as unknown }]);
    expect(await complaint(loadSuite(join(parent, "bad")))).toContain("environment.os");
    expect(await complaint(loadSuite(parent, { wants: () => false }))).toContain("Available: o/bad, good.");
  });

  it("refuses a task that asks for what is not carried out, without touching its neighbours", async () => {
    await task("", "plain");
    const limited = '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.example"]\n';
    const compose = join(await task(limited, "with-hosts"), "environment", "docker-compose.yaml");
    await writeFile(compose, "services: {main: {}, db: {image: 'postgres:14'}}\n");
    const suite = await loadSuite(parent);
    expect(suite.tasks.map((one) => one.name)).toEqual(["plain"]);
    expect(suite.refused).toMatchObject([
      { name: "with-hosts", reason: expect.stringContaining("a network limited to a list of hosts") as unknown },
    ]);
  });

  it("takes a task with skills for agents that read them, and says that Forge's does not", async () => {
    await task('[environment]\nskills_dir = "/skills"\n', "with-skills");
    const { tasks } = await loadSuite(parent);
    const said = expect.stringMatching(/environment.skills_dir: Forge's agent reads no skills, .*"\/skills"\.$/) as unknown;
    expect(tasks).toMatchObject([{ name: "with-skills", warnings: [said], environment: { unread: [said] } }]);
  });

  it("is refused when it is not there, or holds no task", async () => {
    expect(await complaint(loadSuite(join(parent, "nowhere")))).toContain(
      "there is no such folder, and the suites of Forge are builtin and demo",
    );
    expect(await complaint(loadSuite(parent))).toContain("holds no task");
  });

  it("refuses the second task of a name, whichever was there before, and keeps the first and its neighbours", async () => {
    const first = await task('[task]\nname = "o/x"\n', "a");
    const second = await task('[task]\nname = "o/x"\n', "b");
    const third = await task('[task]\nname = "o/x"\n', "d");
    await task("", "c");
    const suite = await loadSuite(parent);
    expect(suite.tasks.map(({ folder }) => folder)).toEqual([first, join(parent, "c")]);
    const reason = (folder: string): string => `${folder}: ${first} is named "o/x" too. Give one of them another name.`;
    expect(suite.refused).toEqual([second, third].map((folder) => ({ name: "o/x", folder, reason: reason(folder) })));
  });

  it("is, for an oracle, the tasks that have a solution; the others are refused, unless none has one", async () => {
    await task("", "solved");
    const bare = await task("", "bare");
    await rm(join(bare, "solution"), { recursive: true, force: true });
    const suite = withSolutions(await loadSuite(parent));
    expect(suite.tasks.map(({ name }) => name)).toEqual(["solved"]);
    expect(suite.refused).toEqual([
      { name: "bare", folder: bare, reason: `${bare} has no solution/ for the oracle. Write solution/solve.sh.` },
    ]);
    const none = await loadSuite(bare);
    expect(withSolutions(none)).toBe(none);
  });
});
