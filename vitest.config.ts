import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/fixed-draws.ts"],
    // Fixtures may hold tests of their own: they are data.
    exclude: [...configDefaults.exclude, "test/fixtures/**"],
    // Generous, because a busy machine is no failure: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    passWithNoTests: false,
    // Much of what is tested waits for containers and processes: of two processors, which give one worker by default, a third of the time is lost.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // What is printed is the same in a terminal and in CI.
    env: { NO_COLOR: "1" },
    // Tests of signals, timeouts and kills share a machine with everything else CI does; a second try is shown in the report, a third is not given.
    retry: process.env["CI"] ? 1 : 0,
  },
});
