import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { unsupported } from "../../../tasks/unsupported.ts";
import { complaint, harborTask } from "../write-task.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "forge-phases-"));
});
afterEach(() => rm(parent, { recursive: true }));

const load = async (files: Readonly<Record<string, string>>) => loadTask(await harborTask(join(parent, "a"), files));

describe("a Harbor task", () => {
  it("asks for users, networks, a health check, MCP servers, skills and a working directory", async () => {
    const task = await load({
      "task.toml": `
[environment]
network_mode = "allowlist"
allowed_hosts = ["PyPI.org.", "*.example.com", "10.0.0.0/8", "2001:db8::/32", "192.0.2.1"]
workdir = "/srv"
skills_dir = "/skills"
[environment.healthcheck]
command = "curl -f localhost"
retries = 4
start_period_sec = 2.5
[[environment.mcp_servers]]
name = "files"
transport = "stdio"
command = "mcp-files"
args = ["--root", "/srv"]
[[environment.mcp_servers]]
name = "web"
transport = "http"
url = "http://web:8000/mcp"
headers = { Authorization = "Bearer \${TOKEN}" }
[agent]
user = 1000
network_mode = "no-network"
[verifier]
user = "root"
network_mode = "public"
`,
    });
    expect(task.environment).toMatchObject({
      network: true,
      networkPolicy: { mode: "allowlist", hosts: ["pypi.org", "*.example.com", "10.0.0.0/8", "2001:db8::/32", "192.0.2.1"] },
      workdir: "/srv",
      unread: [expect.stringContaining("/skills") as string],
      healthcheck: {
        command: "curl -f localhost",
        intervalMs: 5000,
        timeoutMs: 30_000,
        startPeriodMs: 2500,
        startIntervalMs: 5000,
        retries: 4,
      },
      mcpServers: [
        { name: "files", transport: "stdio", command: "mcp-files", args: ["--root", "/srv"] },
        { name: "web", transport: "streamable-http", url: "http://web:8000/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
      ],
    });
    expect(task.agent).toEqual({ timeoutMs: 600_000, user: "1000", network: { mode: "no-network" } });
    expect(task.verifier).toMatchObject({ user: "root", network: { mode: "public" } });
  });

  it("verifies in its own environment: an image, a Dockerfile beside the tests, or a fresh copy of the task's", async () => {
    const named = await load({ "task.toml": '[verifier.environment]\ndocker_image = "checker:1"\nmemory_mb = 512\n' });
    expect(named.verifier.environment).toMatchObject({ image: "checker:1", memoryMb: 512, bundledTests: true });
    const built = await load({ "task.toml": '[verifier]\nenvironment_mode = "separate"\n', "tests/Dockerfile": "FROM debian\n" });
    expect(built.verifier.environment).toMatchObject({ folder: join(built.folder, "tests"), bundledTests: true });
    await rm(join(parent, "a"), { recursive: true });
    const copied = await load({ "task.toml": '[verifier]\nenvironment_mode = "separate"\n[environment]\ncpus = 2\n' });
    expect(copied.verifier.environment).toMatchObject({ folder: join(copied.folder, "environment"), cpus: 2, bundledTests: false });
  });

  it("collects from services and keeps artifacts", async () => {
    const task = await load({
      "task.toml": `
artifacts = ["/app/out", {source = "/data/dump.sql", service = "db", destination = "db/dump.sql", exclude = ["*.tmp"]}]
[[verifier.collect]]
command = "pg_dump > /data/dump.sql"
service = "db"
user = "postgres"
`,
      "environment/docker-compose.yaml": "services: {db: {image: 'postgres:14'}}\n",
    });
    expect(task.artifacts).toEqual([
      { source: "/app/out", exclude: [] },
      { source: "/data/dump.sql", destination: "db/dump.sql", service: "db", exclude: ["*.tmp"] },
    ]);
    expect(task.verifier.collect).toEqual([{ command: "pg_dump > /data/dump.sql", service: "db", timeoutMs: 60_000, user: "postgres" }]);
    expect(task.environment.compose?.services.map(({ name }) => name)).toEqual(["db", "main"]);
  });

  it("is refused where its first step begins in the middle of a conversation, as is one without steps; another such file is read by nobody", async () => {
    const files = {
      "task.toml": '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n',
      "steps/one/instruction.md": "One.\n",
      "steps/two/instruction.md": "Two.\n",
      "steps/two/trajectory.json": "{}",
      "trajectory.json": "{}",
    };
    expect((await load(files)).steps?.length).toBe(2);
    const begun = "trajectory.json: the task begins in the middle of a conversation";
    expect(await complaint(load({ ...files, "steps/one/trajectory.json": "{}" }))).toContain(`steps/one/${begun}`);
    await rm(join(parent, "a"), { recursive: true });
    expect(await complaint(load({ "trajectory.json": "{}" }))).toContain(`a/${begun}`);
  });

  it("has steps, each with its own parts, and inherits what a step does not say", async () => {
    const task = await load({
      "task.toml": `
multi_step_reward_strategy = "final"
[agent]
timeout_sec = 50
user = "dev"
[verifier]
timeout_sec = 70
env = { A = "1", B = "1" }
[[steps]]
name = "first"
min_reward = 0.5
[steps.agent]
timeout_sec = 20
[steps.verifier.env]
B = "2"
[[steps]]
name = "second"
min_reward = { reward = 1, style = 0.2 }
artifacts = ["/app/report"]
[steps.healthcheck]
command = "true"
`,
      "steps/first/instruction.md": "<!-- canary GUID 1 -->\n\nOne.\n",
      "steps/first/tests/test.sh": "",
      "steps/first/workdir/setup.sh": "",
      "steps/second/instruction.md": "Two.\n",
      "steps/second/solution/solve.sh": "",
    });
    const step = (name: string): string => join(task.folder, "steps", name);
    expect([task.instruction, task.stepReward]).toEqual(["One.\n", "final"]);
    expect(task.steps).toMatchObject([
      {
        name: "first",
        instruction: "One.\n",
        agent: { timeoutMs: 20_000, user: "dev" },
        verifier: {
          timeoutMs: 600_000, // a step has the format's default, not the task's limit
          env: { A: "1", B: "2" },
          tests: [join(task.folder, "tests"), join(step("first"), "tests")],
        },
        minReward: { reward: 0.5 },
        workdirFolder: join(step("first"), "workdir"),
        setup: true,
        solution: { folder: join(task.folder, "solution") },
      },
      {
        name: "second",
        agent: { timeoutMs: 50_000, user: "dev" },
        verifier: { env: { A: "1", B: "1" }, tests: [join(task.folder, "tests")] },
        minReward: { reward: 1, style: 0.2 },
        setup: false,
        healthcheck: { command: "true" },
        artifacts: [{ source: "/app/report", exclude: [] }],
        solution: { folder: join(step("second"), "solution") },
      },
    ]);
  });

  it("is one container where its compose file asks for no more, with the file's variables and limits", async () => {
    const task = await load({
      "task.toml": '[environment]\ncpus = 2\nmemory_mb = 1024\nenv = { MODE = "fast" }\n',
      "environment/docker-compose.yaml": `services:
  main:
    build: {context: "\${CONTEXT_DIR}"}
    image: \${MAIN_IMAGE_NAME}
    command: [sh, -c, sleep infinity]
    environment: ["TEST_DIR=\${TEST_DIR}", "MODE=\${MODE}-er"]
    volumes: ["\${HOST_VERIFIER_LOGS_PATH}:\${ENV_VERIFIER_LOGS_PATH}"]
    deploy: {resources: {limits: {cpus: "\${CPUS}", memory: "\${MEMORY}"}}}
`,
    });
    expect(task.environment.compose).toBeUndefined();
    expect(task.environment).toMatchObject({ cpus: 2, memoryMb: 1024, env: { TEST_DIR: "/tests", MODE: "fast" } });
    expect([task.warnings, unsupported(task)]).toEqual([[], undefined]);
  });

  it("stands behind a gateway where the network of one of its phases is limited to hosts, and only there", async () => {
    const list = 'network_mode = "allowlist"\nallowed_hosts = ["a"]\n';
    const behind = async (toml: string): Promise<unknown[]> => {
      const { environment, verifier } = await load({ "task.toml": toml });
      return [environment.gateway, verifier.environment?.gateway];
    };
    expect(await behind("")).toEqual([undefined, undefined]);
    expect(await behind(`[environment]\n${list}`)).toEqual([true, undefined]);
    expect(await behind(`[agent]\n${list}`)).toEqual([true, undefined]);
    expect(await behind(`[verifier]\n${list}`)).toEqual([true, undefined]);
    expect(await behind(`[verifier]\nenvironment_mode = "separate"\n${list}`)).toEqual([undefined, true]);
    expect(await behind(`[verifier]\nenvironment_mode = "separate"\n[verifier.environment]\n${list}`)).toEqual([undefined, true]);
  });

  it("is refused where several containers would stand behind one", async () => {
    const task = await load({
      "task.toml": '[agent]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a"]\n',
      "environment/docker-compose.yaml": "services:\n  main:\n    build: .\n  web:\n    image: web\n",
    });
    expect(unsupported(task)).toMatch(/: the task needs a network limited to a list of hosts for several containers, which Forge does not/);
  });

  it.each([
    ['[verifier]\nenvironment_mode = "shared"\n[verifier.environment]\n', '"shared" and an environment of its own contradict each other'],
    ['[agent]\nallowed_hosts = ["a"]\n', 'agent.allowed_hosts: counts only with network_mode = "allowlist"'],
    [
      '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["https://a"]\n',
      "task.toml:3: environment.allowed_hosts.0: expected a host name",
    ],
    ['[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["10.0.0.1/8"]\n', "a CIDR range"],
    ['[[environment.mcp_servers]]\nname = "a"\n', 'a server with transport "sse" needs a url'],
    ['[[environment.mcp_servers]]\nname = "a"\ntransport = "stdio"\n', "needs a command"],
    ["[environment.healthcheck]\nretries = 2\n", "environment.healthcheck.command: expected text, and there is no such key"],
    ['artifacts = ["/a/../../etc"]\n', 'artifacts.0.source: "/a/../../etc" leads upwards'],
    ['artifacts = [{source = "/a", destination = "../b"}]\n', "leads upwards"],
    ['artifacts = [{source = "/a", destination = "/b"}]\n', "must be a relative path"],
    ['artifacts = [{source = "/a", destination = "manifest.json"}]\n', "is the list of the artifacts itself"],
    ['artifacts = [{source = "/a\\nb"}]\n', "has a control character"],
    ['artifacts = [{source = "/a", service = "db"}]\n', 'the task has no service "db"'],
    ["artifacts = [7]\n", "artifacts.0: expected a table, got 7"],
    ['[[verifier.collect]]\ncommand = "x"\nservice = "db"\n', 'the task has no service "db"'],
    ['[[steps]]\nname = ".."\n', "cannot be a step's name"],
    ['[[steps]]\nname = "a/b"\n', "cannot be a step's name"],
    ['[task]\nname = "../x"\n', "cannot be a name"],
    ['[task]\nname = "a\\u001b[2Jb"\n', "cannot be a name"],
    ["[environment]\ntpu = {}\n", "needs a TPU"],
    ["[agent]\ntimeout_sec = 1\ntimeout_sec = 2\n", "task.toml:3: this is not valid TOML"],
    ["[agent]\ntimeout_sec = nan\n", "agent.timeout_sec: expected a number, got NaN"],
  ])("with %j is refused with place and cure", async (toml, expected) => {
    expect(await complaint(load({ "task.toml": toml }))).toContain(expected);
  });
});
