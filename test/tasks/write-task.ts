import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { ConfigError } from "../../harness/errors.ts";

/** Writes files below a folder; answers the folder. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The smallest Harbor task, with more or other files. */
export const harborTask = (folder: string, files: Readonly<Record<string, string>> = {}): Promise<string> =>
  writeFiles(folder, {
    "task.toml": "",
    "instruction.md": "Do it.\n",
    "environment/Dockerfile": "FROM debian:bookworm\n",
    "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
    "solution/solve.sh": "true\n",
    ...files,
  });

/** The compose file that tasks of Terminal-Bench 1 come with. */
export const usualCompose = `services:
  client:
    build:
      dockerfile: Dockerfile
    image: \${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: \${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: [ "sh", "-c", "sleep infinity" ]
    environment:
      - TEST_DIR=\${T_BENCH_TEST_DIR}
    volumes:
      - \${T_BENCH_TASK_LOGS_PATH}:\${T_BENCH_CONTAINER_LOGS_PATH}
      - \${T_BENCH_TASK_AGENT_LOGS_PATH}:\${T_BENCH_CONTAINER_AGENT_LOGS_PATH}
`;

/** The smallest task of Terminal-Bench 1, with more or other files. */
export const terminalBenchTask = (folder: string, files: Readonly<Record<string, string>> = {}): Promise<string> =>
  writeFiles(folder, {
    "task.yaml": "instruction: Do it.\ndifficulty: easy\n",
    Dockerfile: "FROM debian:bookworm\nWORKDIR /app\n",
    "docker-compose.yaml": usualCompose,
    "run-tests.sh": "pytest $TEST_DIR/test_outputs.py -rA\n",
    "tests/test_outputs.py": "def test_it(): pass\n",
    "solution.sh": "true\n",
    ...files,
  });

/** The sentence with which loading fails; fails where it does not, or fails otherwise. */
export async function complaint(loading: Promise<unknown>): Promise<string> {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  const message = error instanceof Error ? error.message : "";
  expect(message).toMatch(/^\P{Cc}*\.$/u); // a finished sentence, on one line
  return message;
}
