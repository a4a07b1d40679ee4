import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { laterRuns } from "../../../evals/reopen/trial-steps.ts";
import { removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);

it.each(["{", "[]", '{"steps":[{"name":"one"},{"name":".."}]}'])("a steps.json of %s is named as damaged", async (text) => {
  const attempt = await scratch();
  await writeFile(join(attempt, "steps.json"), text);
  await expect(laterRuns(attempt)).rejects.toMatchObject({
    exitCode: 4,
    message: expect.stringMatching(/steps\.json does not list the steps of a task, .* restore it from a copy of the job\.$/),
  });
});

it("an attempt without steps has no later runs", async () => {
  expect(await laterRuns(await scratch())).toEqual([]);
});
