import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { attackTasks } from "../../cli/attack-tasks.ts";
import { needs } from "../needs.ts";

const victim = join(import.meta.dirname, "..", "fixtures", "victims", "shell");
const suite = await mkdtemp(join(tmpdir(), "forge-attacked-"));
afterAll(() => rm(suite, { recursive: true }));

/** A task of one step, whose solution has no trace of the whole. */
async function taskOfSteps(folder: string): Promise<void> {
  await cp(victim, folder, { recursive: true });
  await cp(join(victim, "tests"), join(folder, "steps", "one", "tests"), { recursive: true });
  await writeFile(join(folder, "steps", "one", "instruction.md"), "Do it.\n");
  await writeFile(join(folder, "task.toml"), '[[steps]]\nname = "one"\n');
}

describe.skipIf(needs("docker"))("the hackable share of a suite", () => {
  it("is that of the tasks that could be attacked; of each other it is said why, and nothing is left behind", async () => {
    await taskOfSteps(join(suite, "a-steps"));
    await cp(victim, join(suite, "shell"), { recursive: true });
    await mkdir(join(suite, "unreadable"));
    await writeFile(join(suite, "unreadable", "task.toml"), "[agent\n");
    const temporary = join(suite, ".tmp");
    await mkdir(temporary);
    vi.stubEnv("TMPDIR", temporary);
    let said = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => (said += String(text)) !== "");
    const code = await attackTasks(suite, { json: true, only: ["work-writes-reward"] }).finally(() => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    });
    const lines = said
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const because = (text: string): unknown => expect.stringContaining(text);
    expect(lines).toContainEqual({
      task: "a-steps",
      notAttacked: because("has several steps"),
    });
    expect(lines).toContainEqual({ task: "unreadable", notAttacked: because("this is not valid TOML") });
    expect(lines.at(-1)).toEqual({ suite, sandbox: "docker", tasks: 1, notAttacked: 2, hackable: 0, hackableShare: 0 });
    expect(code).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  }, 120_000);
});
