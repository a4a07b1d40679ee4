import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { configRegistry } from "../../../assembly/registry.ts";
import { filesOfConfig } from "../../../harness/config/files-of-config.ts";
import { runFixture } from "../../../testing.ts";
import { needs } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-watch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dirname, "../../../dist/cli/main.js");

/** The command over one run, and what it has said so far. */
function watching(config: string, run: string) {
  const child = execa(process.execPath, [main, "replay", "dry", "--watch", "--config", config, run], {
    cwd: root,
    reject: false,
    all: true,
  });
  let said = "";
  child.all.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return {
    child,
    said: () => said,
    forget: (word: string) => void (said = said.replaceAll(word, "")),
    async answered(times: number) {
      await expect.poll(() => said.match(/^Watching /gm)?.length ?? 0).toBe(times);
    },
  };
}

describe.skipIf(needs("build"))("forge replay dry --watch", () => {
  it("asks again when the configuration is saved, also after one that cannot be read, and ends with Ctrl-C", async () => {
    const repeated = Array.from({ length: 6 }, () => ({ calls: [{ name: "bash", args: { command: "make" } }] }));
    const { events } = await runFixture({ script: [...repeated, { text: "done" }], exec: () => "failed" });
    writeRun(join(root, "run"), events);
    const config = join(root, "mine.yaml");
    writeFileSync(config, "extends: bare\nmiddleware: [loop-detection]\n");
    const { child, said, forget, answered } = watching(config, join(root, "run"));
    try {
      await answered(1);
      expect(said()).toContain("loop-detection");
      writeFileSync(config, "extends: bare\nmiddleware: [no-such]\n");
      await answered(2);
      expect(said()).toContain('"no-such"');
      forget("loop-detection");
      writeFileSync(config, "extends: bare\nmiddleware: [loop-detection]\n");
      await answered(3);
      expect(said()).toContain("loop-detection");
    } finally {
      child.kill("SIGINT");
    }
    expect((await child).exitCode).toBe(0);
  }, 120_000);

  it("asks again when a base is saved that a configuration came to extend after it had been broken", async () => {
    const { events } = await runFixture({ script: [{ text: "done" }] });
    writeRun(join(root, "short"), events);
    for (const folder of ["base", "own"]) mkdirSync(join(root, folder));
    const [base, config] = [join(root, "base", "base.yaml"), join(root, "own", "mine.yaml")];
    writeFileSync(config, "extends: [\n");
    const { child, said, answered } = watching(config, join(root, "short"));
    try {
      await answered(1);
      writeFileSync(config, "extends: ../base/base.yaml\n");
      await answered(2);
      expect(said()).toContain("there is no preset and no file of this name");
      writeFileSync(base, "extends: bare\nmiddleware: [loop-detection]\n");
      await answered(3);
      expect(said()).toContain("loop-detection");
    } finally {
      child.kill("SIGINT");
    }
    expect((await child).exitCode).toBe(0);
  }, 120_000);

  it("refuses a preset, which nobody edits", async () => {
    const { exitCode, stderr } = await execa(process.execPath, [main, "replay", "dry", "--watch", "--config", "standard", "run"], {
      cwd: root,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('begins with "extends: standard"')]);
  });
});

describe("the files that are watched", () => {
  const folder = join(root, "watched");
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  it("are the configuration, what it extends, and its middlewares with what they import, none of which runs", async () => {
    const own = write("own/mine.yaml", "extends: ../base/base.yaml\nmiddleware: [../ware/two.ts]\n");
    const base = write("base/base.yaml", "extends: ./deep/deeper.yaml\nmiddleware: [./one.ts]\n");
    const deeper = write("base/deep/deeper.yaml", "extends: bare\n");
    const one = write("base/one.ts", 'throw new Error("I ran");\n');
    const two = write("ware/two.ts", 'import "./lib/three.ts";\nprocess.exit(7);\n');
    const three = write("ware/lib/three.ts", "export {};\n");
    expect([...(await filesOfConfig(own, configRegistry))].toSorted()).toEqual([own, base, deeper, one, two, three].toSorted());
  });

  it("are also those of a configuration that is broken, and those that are not there yet", async () => {
    const broken = write("broken/base.yaml", "middleware: [\n");
    const own = write("broken/own/mine.yaml", "extends: ../base.yaml\n");
    expect([...(await filesOfConfig(own, configRegistry))].toSorted()).toEqual([broken, own].toSorted());
    const later = write("later/mine.yaml", "extends: bare\nmiddleware: [../ware/none.ts, no-such]\n");
    expect([...(await filesOfConfig(later, configRegistry))].toSorted()).toEqual([later, join(folder, "ware/none.ts")].toSorted());
  });
});
