import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Fixtures may hold tests of their own: they are data.
    exclude: [...configDefaults.exclude, "test/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
  },
});
