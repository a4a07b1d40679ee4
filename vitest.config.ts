import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { listTests, projectOf } from "./scripts/setup/test-needs.mjs";

/** The files of one project. Which one a file is in follows from what it calls `needs` with. */
function project(
  name: ReturnType<typeof projectOf>,
  env: Record<string, string> = {},
  more: { isolate?: boolean; maxWorkers?: number; sequence?: object } = {},
) {
  const include = listTests("test").filter((file) => projectOf(file) === name);
  // What is printed is the same in a terminal and in CI, however the tests were started.
  return {
    extends: true,
    test: { name, include, env: { NO_COLOR: "1", npm_command: "test", FORGE_TEST_PROJECT: name, ...env }, ...more },
  } as const;
}
// No daemon is found here, also where one runs: a test that uses one without naming it fails.
const noDaemon = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

export default defineConfig({
  test: {
    // Generous, because a busy machine is no failure: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    // What is compiled is Node's to load (test/cli/forge-here.ts).
    server: { deps: { external: [/\/dist\//] } },
    passWithNoTests: false,
    // Much of what is tested waits for processes: with two workers on two processors an eighth of the time is lost, with three nothing.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Of tests that wait side by side in one file: a daemon on two processors does no more at once.
    maxConcurrency: 3,
    setupFiles: ["test/fixed-draws.ts", "test/own-folder.ts"],
    // What is compiled for one project is compiled for all, and for the next run.
    experimental: { fsModuleCache: true },
    projects: [
      // One process for many files: test/own-folder.ts keeps them apart.
      project("plain", noDaemon, { isolate: false }),
      project("process", noDaemon),
      project("bench", noDaemon),
      project("command", noDaemon),
      // After the others, whose processors it would take.
      project("machine", {}, { maxWorkers: Math.max(3, availableParallelism() - 1), sequence: { groupOrder: 1 } }),
    ],
  },
});
