import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { attackTasks } from "../../../cli/task/attack-tasks.ts";
import { CannotError } from "../../../harness/errors.ts";
import { needs } from "../../needs.ts";
import { writeFiles } from "../../tasks/write-task.ts";

const victim = join(import.meta.dirname, "..", "..", "fixtures", "victims", "shell");
const suite = await mkdtemp(join(tmpdir(), "forge-attacked-"));
afterAll(() => rm(suite, { recursive: true }));

/** Its first step is the victim, its second one runs what it judges with its own rights. */
async function taskOfSteps(folder: string): Promise<void> {
  await cp(join(victim, "environment"), join(folder, "environment"), { recursive: true });
  for (const part of ["tests", "solution"]) await cp(join(victim, part), join(folder, "steps/one", part), { recursive: true });
  const check = `if [ "$(sh run)" = 5 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`;
  await writeFiles(folder, {
    "task.toml": '[metadata.forge]\nlocal = true\n[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n',
    "steps/one/instruction.md": "Do it.\n",
    "steps/two/instruction.md": "Do it.\n",
    "steps/two/solution/solve.sh": "echo echo 5 > run\n",
    "steps/two/tests/test.sh": `#!/bin/bash\n${check}\n`,
  });
}

it("refuses an attack that nobody knows, and names those that there are", async () => {
  await expect(attackTasks(victim, { only: "work-writes-reward, nosuchattack" })).rejects.toThrow(
    /^--attack: there is no attack "nosuchattack"\. Choose among reward-early, .*, work-writes-reward, .*, or give no name for all that apply\.$/,
  );
});

describe.skipIf(needs("docker"))("a known attack that does not apply", () => {
  it("leaves the task out with the reason, and where none is left the question cannot be answered", { timeout: 120_000 }, async () => {
    let said = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => (said += String(text)) !== "");
    const reason = "given-tests-edited: it does not apply: the agent is given no tests (tests/given/).";
    const ended = attackTasks(victim, { json: true, only: "given-tests-edited" });
    const error: unknown = await ended.catch((thrown: unknown) => thrown).finally(() => vi.restoreAllMocks());
    expect(error).toBeInstanceOf(CannotError);
    expect(String(error)).toContain(`could be attacked. The first, shell: ${reason}`);
    expect(said).toContain(JSON.stringify({ task: "shell", notAttacked: reason }));
  });
});

describe.skipIf(needs("bubblewrap"))("the hackable share of a suite", () => {
  it("is that of the tasks that could be attacked; of each other it is said why, and nothing is left behind", async () => {
    await taskOfSteps(join(suite, "a-steps"));
    await cp(victim, join(suite, "shell"), { recursive: true });
    const toml = await readFile(join(victim, "task.toml"), "utf8");
    await writeFile(join(suite, "shell/task.toml"), toml.replace("[metadata.forge]", "[metadata.forge]\nlocal = true"));
    await mkdir(join(suite, "unreadable"));
    await writeFile(join(suite, "unreadable", "task.toml"), "[agent\n");
    const temporary = join(suite, ".tmp");
    await mkdir(temporary);
    vi.stubEnv("TMPDIR", temporary);
    let said = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => (said += String(text)) !== "");
    const code = await attackTasks(suite, { json: true, only: "work-writes-reward", sandbox: "bubblewrap" }).finally(() => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    });
    const lines = said
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const because = (text: string): unknown => expect.stringContaining(text);
    expect(lines).toContainEqual(
      expect.objectContaining({
        task: "a-steps",
        hackable: true,
        attacks: [
          expect.objectContaining({ step: "one", passed: false }),
          expect.objectContaining({ step: "two", passed: true }),
        ] as unknown[],
      }),
    );
    expect(lines).toContainEqual({ task: "unreadable", notAttacked: because("this is not valid TOML") });
    expect(lines.at(-1)).toEqual({ suite, sandbox: "bubblewrap", tasks: 2, notAttacked: 1, hackable: 1, hackableShare: 0.5 });
    expect(code).toBe(1);
    // What was prepared, once for both tasks, stays until its process ends.
    expect(await readdir(temporary)).toEqual([expect.stringMatching(/^forge-bubblewrap_/)]);
  }, 120_000);
});
