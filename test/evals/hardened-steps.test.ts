import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../evals/bench.ts";
import type { Agent } from "../../evals/bench-ports.ts";
import { trialRecordSchema, type TrialRecord } from "../../evals/trial-record.ts";
import { baseImage } from "../../harness/sandbox/base-image.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import type { Task } from "../../tasks/task.ts";
import { needs } from "../needs.ts";
import { writeFiles } from "../tasks/write-task.ts";
import { benchPorts, fixtureRequest, removeScratch, scratch } from "./bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 240_000 }); // several sandboxes a trial, on a machine that may be busy

interface StepFiles {
  readonly solve: string;
  /** The step is passed where this holds in the working directory. */
  readonly check: string;
  /** The whole test instead. */
  readonly test?: string;
  /** Lines below the step's table. */
  readonly toml?: string;
  /** Files of `workdir/`. */
  readonly brings?: Readonly<Record<string, string>>;
}
const reward = (check: string): string =>
  `#!/bin/bash\nmkdir -p /logs/verifier; if ${check}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n`;

async function taskOf(
  steps: Readonly<Record<string, StepFiles>>,
  o: { forge?: string; dockerfile?: string; top?: string } = {},
): Promise<Task> {
  const tables = Object.entries(steps).map(([name, { toml = "" }]) => `[[steps]]\nname = "${name}"\n${toml}\n`);
  const files = Object.entries(steps).flatMap(([name, { solve, check, test, brings = {} }]) => [
    [`steps/${name}/instruction.md`, "Do it.\n"],
    [`steps/${name}/solution/solve.sh`, `${solve}\n`],
    [`steps/${name}/tests/test.sh`, test ?? reward(check)],
    ...Object.entries(brings).map(([path, text]) => [`steps/${name}/workdir/${path}`, text]),
  ]);
  const folder = await writeFiles(join(await scratch(), "by-steps"), {
    "task.toml": `${o.top ?? ""}\n${tables.join("")}[metadata.forge]\nlocal = true\n${o.forge ?? ""}\n`,
    "environment/Dockerfile": `FROM ${baseImage}\nWORKDIR /app\n${o.dockerfile ?? ""}`,
    ...(Object.fromEntries(files) as Record<string, string>), // pairs of names and texts
  });
  return loadTask(folder, { own: true });
}

interface Told {
  readonly steps: readonly { readonly name: string; readonly rewards: Record<string, number> | null; readonly why?: string }[];
}
async function run(task: Task, agent: Agent, sandbox: SandboxKind): Promise<{ record: TrialRecord; folder: string; told: Told }> {
  const result = await bench(await fixtureRequest([task], { agent, sandbox }), await benchPorts(), { retryMs: 1 });
  const record = trialRecordSchema.parse(
    JSON.parse(await readFile(join(result.folder, "trials", task.name, "plain/1/result.json"), "utf8")),
  );
  const folder = join(result.folder, record.trace);
  const told = JSON.parse(await readFile(join(folder, "steps.json"), "utf8")) as Told; // as Forge writes it
  return { record, folder, told };
}

/** The second step sees what the first one's agent left, and nothing of its tests; the third is given a file and is set up by a script. */
const three = {
  one: { solve: "echo 1 > one; setsid sleep 4242 >/dev/null 2>&1 &", check: "[ -e one ] && [ ! -e two ]" },
  two: {
    solve: `[ ! -e /tests/test.sh ] && [ ! -e /logs/verifier/reward.txt ] && ! cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -q 'slee[p] 4242' && cat one > two`,
    check: `[ "$(cat two)" = 1 ]`,
  },
  three: {
    solve: "cat given set-up two > three",
    check: `[ "$(cat three | tr '\\n' ' ')" = "given set up 1 " ]`,
    brings: { given: "given\n", "setup.sh": "echo set up > set-up\n" },
  },
};

for (const kind of ["bubblewrap", "docker"] as const)
  describe.skipIf(needs(kind))(`a task in steps, hardened, in ${kind}`, () => {
    it("is passed by its solution and not by doing nothing, each step verified where its agent has no hand", async () => {
      const task = await taskOf(three);
      const { record, folder, told } = await run(task, "oracle", kind);
      expect(record).toMatchObject({ class: "passed", mode: "hardened", sandbox: kind, rewards: { reward: 1 }, delta: { kept: true } });
      expect(told).toMatchObject({
        mode: "hardened",
        planned: 3,
        steps: ["one", "two", "three"].map((name) => ({ name, rewards: { reward: 1 }, delta: { kept: true, paths: ["/app"] } })),
      });
      for (const place of [".", "steps/two", "steps/three"]) {
        const names = await readdir(join(folder, place));
        expect(names).toEqual(expect.arrayContaining(["seal.json", "delta.json", "verifier"]));
        expect(names).not.toContain("delta");
      }
      const nop = await run(task, "nop", kind);
      expect(nop.record).toMatchObject({ class: "agent", rewards: { reward: 0 }, passed: false });
    });
  });
