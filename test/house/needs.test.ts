import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { needs } from "../needs.ts";

describe("needs", () => {
  // As in the project whose tests may need anything.
  beforeEach(() => void vi.stubEnv("FORGE_TEST_PROJECT", undefined));
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  async function withoutAnyProgram(): Promise<typeof needs> {
    vi.stubEnv("PATH", "/nonexistent");
    vi.resetModules();
    return (await import("../needs.ts")).needs;
  }

  it("is false for what is there", () => {
    expect(needs("git")).toBe(false);
  });

  it("notes a skip with the test, the reason and the command that would provide it", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "forge-needs-")), "skips");
    vi.stubEnv("FORGE_REQUIRE", "");
    vi.stubEnv("FORGE_SKIPS_FILE", file);
    const fresh = await withoutAnyProgram();
    expect(fresh("tmux")).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      what: "tmux",
      test: "test/house/needs.test.ts",
      reason: "tmux is not installed",
      cure: "apt-get install -y --no-install-recommends tmux",
    });
  });

  it("is a failure instead of a skip where everything is required", async () => {
    vi.stubEnv("FORGE_REQUIRE", "all");
    const fresh = await withoutAnyProgram();
    expect(() => fresh("tmux")).toThrow(
      "tmux is required (FORGE_REQUIRE=all), but tmux is not installed. To provide it: apt-get install -y --no-install-recommends tmux",
    );
  });

  it("names the address at which no daemon answers", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "forge-needs-")), "skips");
    vi.stubEnv("FORGE_REQUIRE", "");
    vi.stubEnv("FORGE_SKIPS_FILE", file);
    vi.stubEnv("DOCKER_HOST", "unix:///nonexistent/docker.sock");
    vi.stubEnv("FORGE_NO_DOCKER", undefined);
    vi.resetModules();
    const { needs: fresh } = await import("../needs.ts");
    expect(fresh("docker")).toBe(true);
    expect(readFileSync(file, "utf8")).toContain("no Docker daemon answers at unix:///nonexistent/docker.sock");
  });
});
