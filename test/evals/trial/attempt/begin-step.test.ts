import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchPorts } from "../../../../evals/bench-ports.ts";
import { prepareStep } from "../../../../evals/trial/sandbox/prepare-step.ts";
import { trialsOf } from "../../../../evals/job/results/trials-of.ts";
import type { Mode } from "../../../../evals/trial/trial-record.ts";
import { InfraError } from "../../../../harness/errors.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import type { Task, TaskStep } from "../../../../tasks/task.ts";
import { needs } from "../../../needs.ts";
import { benchPorts, fixtureRequest, removeScratch } from "../../bench-fixture.ts";
import { stepsTask } from "../../steps-task.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

const { signal } = new AbortController();
const two = {
  one: { solve: "touch one", check: "[ -e one ]" },
  two: { solve: "touch two", check: "[ -e two ]", brings: { given: "given\n" } },
};
const stepOf = (task: Task, i: number): TaskStep => task.steps?.[i] ?? expect.fail("no such step");

async function sandboxOf({ environment }: Task): Promise<Sandbox> {
  return (await (await benchPorts()).provider("bubblewrap").prepare(environment)).create();
}
async function begin(task: Task, sandbox: Sandbox, mode: Mode): Promise<unknown> {
  return prepareStep(stepOf(task, 1), sandbox, { after: stepOf(task, 0), mode, environment: task.environment, signal });
}

/** Ports whose sandboxes cannot be cleared for a further step; of those made after that was tried, none can be had where `anew` is false. */
function unclearable(ports: BenchPorts, anew: boolean): BenchPorts {
  const real = ports.provider("bubblewrap");
  let failed = false;
  return {
    ...ports,
    provider: () => ({
      ...real,
      async prepare(environment, options) {
        const prepared = await real.prepare(environment, options);
        return {
          ...prepared,
          async create(wish = {}) {
            if (failed && !anew) throw new InfraError("No container could be made.");
            const restart = (): Promise<void> => {
              failed = true;
              return Promise.reject(new InfraError("The container could not be started again."));
            };
            return { ...(await prepared.create(wish)), restart };
          },
        };
      },
    }),
  };
}

describe.skipIf(needs("bubblewrap"))("a step after the first", () => {
  it("whose sandbox is gone ends the attempt in official mode, where a step that was not begun would not count", async () => {
    const task = await stepsTask(two);
    const sandbox = await sandboxOf(task);
    await sandbox.close();
    await expect(begin(task, sandbox, "official")).rejects.toBeInstanceOf(InfraError);
    expect(await begin(task, sandbox, "hardened")).toMatchObject({ broken: true });
  });

  it.each(["official", "hardened"] as const)("whose files this machine cannot read is no agent's, in %s mode", async (mode) => {
    const task = await stepsTask(two);
    const sandbox = await sandboxOf(task);
    try {
      await rm(join(task.folder, "steps/two/workdir"), { recursive: true });
      await expect(begin(task, sandbox, mode)).rejects.toMatchObject({ code: "ENOENT" });
    } finally {
      await sandbox.close();
    }
  });

  it.each([
    { anew: true, agent: "oracle", ends: { class: "agent", rewards: { reward: 0.5 }, passed: false } },
    { anew: false, agent: "oracle", ends: { class: "infra", score: null } },
    { anew: true, agent: "nop", ends: { class: "infra", score: null } },
  ] as const)(
    "that cannot begin in a sandbox that failed is the agent's only where it made calls ($agent), and a fresh one works ($anew)",
    async ({ anew, agent, ends }) => {
      const request = await fixtureRequest([await stepsTask(two)], { agent, sandbox: "bubblewrap", mode: "hardened" });
      const { folder } = await bench(request, unclearable(await benchPorts(), anew), { retryMs: 1 });
      const [record] = await trialsOf(folder);
      expect(record).toMatchObject(ends);
    },
  );
});
