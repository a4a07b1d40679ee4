import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { allNeeds } from "../../scripts/setup/missing.mjs";
import { listTests, namedNeeds, needsAmong, projectOf } from "../../scripts/setup/test-needs.mjs";
import { needs, there } from "../needs.ts";

const names = new Set<string>(allNeeds);
const tests = listTests("test");

describe("the projects of the tests", () => {
  it("come from the names in the tests' calls of needs, each of them known", () => {
    const unknown = tests.flatMap((file) => [...namedNeeds(file)].filter((name) => !names.has(name)).map((name) => `${file}: ${name}`));
    expect(unknown).toEqual([]);
  });

  it("follow from what a test uses, itself or through a file of the tests, not from what it speaks of", () => {
    expect(projectOf(join("test", "harness", "sandbox", "docker", "docker.test.ts"))).toBe("machine");
    expect(projectOf(join("test", "reports", "viewer", "pages.test.ts"))).toBe("machine");
    expect(projectOf(join("test", "e2e", "cli.test.ts"))).toBe("command");
    expect(projectOf(join("test", "evals", "bench", "bench.test.ts"))).toBe("bench");
    expect(projectOf(join("test", "harness", "sandbox", "local.test.ts"))).toBe("bench");
    expect(projectOf(join("test", "house", "lint.test.ts"))).toBe("process");
    expect(projectOf(join("test", "house", "projects.test.ts"))).toBe("plain");
    expect(needsAmong(join("test", "tasks", "suites.test.ts"), allNeeds)).toContain("python3");
  });

  it.each(["docker", "chromium"] as const)("refuse a test in plain that asks for %s in a way that its text does not show", (what) => {
    vi.stubEnv("FORGE_TEST_PROJECT", "plain");
    for (const ask of [needs, there]) expect(() => ask(what)).toThrow(`needs("${what}")`);
    vi.unstubAllEnvs();
  });
});
