import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { complaint, harborTask, terminalBenchTask, usualCompose } from "../write-task.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "forge-tb-"));
});
afterEach(() => rm(parent, { recursive: true }));

describe("a task of Terminal-Bench 1", () => {
  it("is a task like any other: one container where its compose file asks for no more", async () => {
    const folder = await terminalBenchTask(join(parent, "hello"), {
      "task.yaml": `# a canary
instruction: |-
  Say hello.
author_name: A
author_email: a@example.com
difficulty: medium
category: file-operations
tags: [text, 2024]
parser_name: pytest
max_agent_timeout_sec: 900.5
max_test_timeout_sec: 180
run_tests_in_same_shell: yes
disable_asciinema: true
estimated_duration_sec: null
expert_time_estimate_min: 5
junior_time_estimate_min: 10.5
`,
      "docker-compose.yaml": usualCompose.replace(
        "    volumes:",
        '    working_dir: /srv\n    deploy: {resources: {limits: {cpus: "1.5", memory: 2G}}}\n    volumes:',
      ),
    });
    const task = await loadTask(folder);
    expect(task).toMatchObject({
      name: "hello",
      format: "terminal-bench",
      instruction: "Say hello.",
      agent: { timeoutMs: 900_500 },
      verifier: {
        timeoutMs: 180_000,
        script: "run-tests.sh",
        reads: { type: "output", parser: "pytest" },
        tests: [join(folder, "run-tests.sh"), join(folder, "tests")],
      },
      solution: { script: join(folder, "solution.sh") },
      metadata: { difficulty: "medium", category: "file-operations", tags: ["text", "2024"] },
      warnings: [],
    });
    expect(task.environment).toEqual({
      name: "hello",
      folder,
      env: { TEST_DIR: "/tests" },
      workdir: "/srv",
      cpus: 1.5,
      memoryMb: 2048,
      mcpServers: [],
      network: true,
      networkPolicy: { mode: "public" },
    });
  });

  it("has the format's defaults: six minutes for the agent, one for the tests, pytest", async () => {
    const task = await loadTask(await terminalBenchTask(join(parent, "a")));
    expect([task.agent.timeoutMs, task.verifier.timeoutMs, task.verifier.reads]).toEqual([
      360_000,
      60_000,
      { type: "output", parser: "pytest" },
    ]);
  });

  it("keeps its services where there are several, known by their names and by those the runner would give", async () => {
    const folder = await terminalBenchTask(join(parent, "two.parts"), {
      "docker-compose.yaml": `${usualCompose}    depends_on: {db: {condition: service_healthy}}
  db:
    image: postgres:14
    container_name: \${T_BENCH_TASK_DOCKER_NAME_PREFIX}__db
    environment: {POSTGRES_PASSWORD: x}
    healthcheck: {test: pg_isready, interval: 1m30s, retries: 5}
    volumes: ["\${T_BENCH_TASK_LOGS_PATH}:/shared", "data:/var/lib/postgresql/data:ro"]
volumes: {data: }
`,
    });
    const { environment } = await loadTask(folder);
    expect(environment.compose).toMatchObject({
      main: "client",
      volumes: ["forge-session-logs", "data"],
      services: [
        {
          name: "db",
          image: "postgres:14",
          environment: { POSTGRES_PASSWORD: "x" },
          healthcheck: { test: ["CMD-SHELL", "pg_isready"], intervalMs: 90_000, retries: 5 },
          networks: [{ name: "default", aliases: ["tb__two-parts__db"] }],
          volumes: [
            { name: "forge-session-logs", target: "/shared", readOnly: false },
            { name: "data", target: "/var/lib/postgresql/data", readOnly: true },
          ],
        },
        {
          name: "client",
          build: { context: folder },
          dependsOn: [{ service: "db", condition: "healthy" }],
          // The agent's logs are its own alone, and are kept otherwise.
          volumes: [{ name: "forge-session-logs", target: "/logs", readOnly: false }],
        },
      ],
    });
  });

  it("reads a solution of commands typed into a terminal, unless there is a script", async () => {
    const commands = `- command: vim a.txt
  min_timeout_sec: 1.5
- command: ":wq"
  append_enter: false
- {command: y, append_enter: no}
- {command: make, block: true, max_timeout_sec: 20}
`;
    const folder = await terminalBenchTask(join(parent, "a"), { "solution.yaml": commands });
    expect((await loadTask(folder)).solution?.script).toBe(join(folder, "solution.sh"));
    await rm(join(folder, "solution.sh"));
    const { solution } = await loadTask(folder);
    expect(solution?.script).toBeUndefined();
    expect(solution?.commands).toEqual([
      { command: "vim a.txt", minTimeoutMs: 1500, maxTimeoutMs: 180_000, block: false, appendEnter: true },
      { command: ":wq", minTimeoutMs: 0, maxTimeoutMs: 180_000, block: false, appendEnter: false },
      { command: "y", minTimeoutMs: 0, maxTimeoutMs: 180_000, block: false, appendEnter: false },
      { command: "make", minTimeoutMs: 0, maxTimeoutMs: 20_000, block: true, appendEnter: true },
    ]);
  });

  it("lies beside Harbor tasks in one suite", async () => {
    await terminalBenchTask(join(parent, "a"));
    await harborTask(join(parent, "b"));
    expect((await loadSuite(parent)).tasks.map(({ format }) => format)).toEqual(["terminal-bench", "harbor"]);
  });

  it.each<[Record<string, string>, string]>([
    [{ "task.yaml": "difficulty: easy\n" }, "task.yaml: instruction: expected text, and there is no such key"],
    [{ "task.yaml": "instruction: x\nmax_agent_timeout_sec: 1h\n" }, 'task.yaml:2: max_agent_timeout_sec: expected a number, got "1h"'],
    [{ "task.yaml": "instruction: x\nparser_name: junit\n" }, 'task.yaml:2: parser_name: expected one of "pytest"'],
    [{ "task.yaml": "instruction: x\ninstruction: y\n" }, "task.yaml:2: this is not valid YAML (Map keys must be unique"],
    [{ "task.yaml": "instruction: [\n" }, "this is not valid YAML"],
    [{ "task.yaml": "instruction: ' '\n" }, "task.yaml: instruction: is empty"],
    [{ "task.yaml": "- a\n" }, "expected a table"],
    [{ "solution.sh": "", "docker-compose.yaml": "services: {web: {image: x}}\n" }, 'there is no service "client"'],
  ])("of %j is refused with place and cure", async (files, expected) => {
    expect(await complaint(loadTask(await terminalBenchTask(join(parent, "a"), files)))).toContain(expected);
  });

  it("says which file is missing, and names an unknown key once", async () => {
    for (const part of ["run-tests.sh", "docker-compose.yaml"]) {
      const folder = await terminalBenchTask(join(parent, part));
      await rm(join(folder, part));
      expect(await complaint(loadTask(folder))).toContain(`${join(folder, part)}: the task has no ${part}. `);
    }
    const more = await terminalBenchTask(join(parent, "more"), { "task.yaml": "instruction: x\ndescriptions: []\n" });
    expect((await loadTask(more)).warnings).toEqual([
      `${join(more, "task.yaml")}: descriptions is not a key that Forge knows; it is left out.`,
    ]);
  });
});
