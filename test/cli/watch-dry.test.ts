import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { runFixture } from "../../testing.ts";
import { needs } from "../needs.ts";
import { writeRun } from "../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-watch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../dist/cli/main.js");

describe.skipIf(needs("build"))("forge replay --dry --watch", () => {
  it("asks again when the configuration is saved, also after one that cannot be read, and ends with Ctrl-C", async () => {
    const repeated = Array.from({ length: 6 }, () => ({ calls: [{ name: "bash", args: { command: "make" } }] }));
    const { events } = await runFixture({ script: [...repeated, { text: "done" }], exec: () => "failed" });
    writeRun(join(root, "run"), events);
    const config = join(root, "mine.yaml");
    writeFileSync(config, "extends: bare\nmiddleware: [loop-detection]\n");
    const child = execa(process.execPath, [main, "replay", "--dry", "--watch", "--config", config, join(root, "run")], {
      cwd: root,
      reject: false,
      all: true,
    });
    let said = "";
    child.all?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const answered = async (times: number): Promise<void> => {
      await expect.poll(() => said.match(/^Watching /gm)?.length ?? 0, { timeout: 60_000 }).toBe(times);
    };
    try {
      await answered(1);
      expect(said).toContain("loop-detection");
      writeFileSync(config, "extends: bare\nmiddleware: [no-such]\n");
      await answered(2);
      expect(said).toContain('"no-such"');
      said = said.replaceAll("loop-detection", "");
      writeFileSync(config, "extends: bare\nmiddleware: [loop-detection]\n");
      await answered(3);
      expect(said).toContain("loop-detection");
    } finally {
      child.kill("SIGINT");
    }
    expect((await child).exitCode).toBe(0);
  }, 120_000);

  it("refuses a preset, which nobody edits", async () => {
    const { exitCode, stderr } = await execa(process.execPath, [main, "replay", "--watch", "--config", "standard", "run"], {
      cwd: root,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('begins with "extends: standard"')]);
  });
});
