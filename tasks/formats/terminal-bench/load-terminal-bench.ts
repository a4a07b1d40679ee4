import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { TaskEnvironment } from "../../task-environment.ts";
import type { Solution, Task } from "../../task.ts";
import { checkData } from "../read/check-data.ts";
import { collapse } from "../compose/collapse.ts";
import { readCompose } from "../compose/read-compose.ts";
import { readPart, requirePart } from "../read/read-part.ts";
import { readYaml } from "../read/read-yaml.ts";
import { taskName } from "../check/task-name.ts";
import { solutionYaml, taskYaml } from "./task-yaml.ts";

/**
 * Reads a task of Terminal-Bench 1: `task.yaml`, `docker-compose.yaml` with the service `client`, `run-tests.sh`, `tests/`, `solution.sh` or
 * `solution.yaml`. The folder itself is what its image is built from. Throws `ConfigError`.
 */
export async function loadTerminalBench(root: string): Promise<Omit<Task, "digest" | "own">> {
  const file = join(root, "task.yaml");
  const text = await requirePart(root, "task.yaml", "Write one; docs/tasks.md describes it.");
  const { config, warnings } = checkData(readYaml(text, file, "1.1"), taskYaml);
  const name = taskName(basename(root), root);
  if (config.instruction.trim() === "") throw new ConfigError(`${file}: instruction: is empty. Write what the agent is to do.`);
  if (!existsSync(join(root, "run-tests.sh")))
    throw new ConfigError(
      `${join(root, "run-tests.sh")}: the task has no run-tests.sh. Add the script that runs the tests and prints what its parser reads.`,
    );
  const { environment, warnings: aboutCompose } = await environmentOf(root, name);
  const tests = join(root, "tests");
  const solution = await solutionOf(root);
  const { difficulty, category, tags } = config;
  return {
    name,
    folder: root,
    format: "terminal-bench",
    instruction: config.instruction,
    environment,
    agent: { timeoutMs: config.max_agent_timeout_sec * 1000 },
    verifier: {
      timeoutMs: config.max_test_timeout_sec * 1000,
      env: {},
      testsFolder: tests,
      tests: [join(root, "run-tests.sh"), ...(existsSync(tests) ? [tests] : [])],
      script: "run-tests.sh",
      reads: { type: "output", parser: config.parser_name },
      collect: [],
    },
    ...(solution && { solution }),
    artifacts: [],
    metadata: { tags: tags ?? [], ...(difficulty && { difficulty }), ...(category && { category }) },
    wrong: [],
    warnings: [...new Set([...warnings, ...aboutCompose])],
  };
}

const logVolumes = ["forge-session-logs", "forge-agent-logs"];

async function environmentOf(root: string, name: string): Promise<{ environment: TaskEnvironment; warnings: string[] }> {
  const prefix = `tb__${name.replaceAll(".", "-")}`;
  const read = await readCompose(root, join(root, "docker-compose.yaml"), {
    main: "client",
    mainMayBeAbsent: false,
    logVolumes,
    variables: {
      T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME: `${prefix}__trial`,
      T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME: "",
      T_BENCH_TASK_DOCKER_NAME_PREFIX: prefix,
      T_BENCH_CONTAINER_LOGS_PATH: "/logs",
      T_BENCH_CONTAINER_AGENT_LOGS_PATH: "/agent-logs",
      T_BENCH_TEST_DIR: "/tests",
      T_BENCH_TASK_LOGS_PATH: "forge-session-logs",
      T_BENCH_TASK_AGENT_LOGS_PATH: "forge-agent-logs",
      COMPOSE_PROJECT_NAME: prefix,
    },
  });
  if (!read)
    throw new ConfigError(
      `${join(root, "docker-compose.yaml")}: the task has no docker-compose.yaml. Add one with the service "client", in which the agent works.`,
    );
  const common = { name, env: {}, mcpServers: [], network: true, networkPolicy: { mode: "public" } } as const;
  const { compose, warnings } = read;
  const single = collapse(compose, false);
  if (!single) return { environment: { ...common, compose }, warnings };
  const { folder, image, env, workdir, cpus, memoryMb, network } = single;
  if (folder === undefined && image === undefined)
    throw new ConfigError(`${compose.file}: services.client: has neither build nor image. Add one of them.`);
  const environment: TaskEnvironment = {
    ...common,
    env,
    network,
    networkPolicy: { mode: network ? "public" : "no-network" },
    ...(folder !== undefined && { folder }),
    ...(image !== undefined && { image }),
    ...(workdir !== undefined && { workdir }),
    ...(cpus !== undefined && { cpus }),
    ...(memoryMb !== undefined && { memoryMb }),
  };
  return { environment, warnings };
}

/** A script counts before a list of commands, as in the format's own runner. */
async function solutionOf(root: string): Promise<Solution | undefined> {
  const script = join(root, "solution.sh");
  if (existsSync(script)) return { folder: root, script, env: {} };
  const text = await readPart(root, "solution.yaml");
  if (text === undefined) return undefined;
  const { config } = checkData(readYaml(text, join(root, "solution.yaml"), "1.1"), solutionYaml);
  return {
    folder: root,
    env: {},
    commands: config.map((one) => ({
      command: one.command,
      minTimeoutMs: one.min_timeout_sec * 1000,
      maxTimeoutMs: one.max_timeout_sec * 1000,
      block: one.block,
      appendEnter: one.append_enter,
    })),
  };
}
