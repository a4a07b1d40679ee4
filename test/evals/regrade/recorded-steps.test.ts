import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { toldSteps } from "../../../evals/regrade/recorded-steps.ts";
import { writeFiles } from "../../tasks/write-task.ts";
import { removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);

const told = async (name: string) => {
  const job = await writeFiles(join(await scratch(), "job"), {
    "attempt/steps.json": JSON.stringify({ v: 1, reward: "mean", planned: 1, steps: [{ name, rewards: null }] }),
  });
  return toldSteps(job, { trace: "attempt" });
};

it("a job's steps are named by folders of the job, whoever wrote it", async () => {
  expect(await told("one")).toMatchObject({ steps: [{ name: "one" }] });
  for (const name of ["../../..", "..", ".", "a/b", "/etc", "", "a\0"])
    await expect(told(name)).rejects.toMatchObject({ name: "DamagedError" });
});
