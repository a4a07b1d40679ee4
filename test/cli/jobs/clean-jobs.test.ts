import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { cleanJobs } from "../../../cli/jobs/clean-jobs.ts";
import { listJobs } from "../../../cli/jobs/list-jobs.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../evals/bench-fixture.ts";

afterAll(removeScratch);

it("names of jobs are one line each, whatever they hold", async () => {
  const parent = await scratch();
  const out = join(parent, "job\nremoved all\u001b[2J\r\u202e");
  const task = await fixtureTask();
  await bench(await fixtureRequest([task], { out }), await benchPorts());
  await mkdir(join(out, "trials", task.name, "plain/1/attempt-2"));
  let said = "";
  const heard = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  try {
    await cleanJobs([out], { dryRun: true });
    await cleanJobs([out], { dryRun: true, olderThan: 3_600_000 });
    await listJobs(parent, {});
  } finally {
    heard.mockRestore();
  }
  for (const character of ["\u001b", "\r", "\u202e"]) expect(said).not.toContain(character);
  const lines = said.trimEnd().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^would remove .*job removed all\uFFFD\[2J \uFFFD\/trials\/write-out\/plain\/1\/attempt-2$/),
    expect.stringMatching(/^1 thing to remove/),
    expect.stringMatching(/^left alone .*: it is younger$/),
    expect.stringMatching(/^0 things to remove/),
    expect.stringMatching(/^job /),
    expect.stringMatching(/^\S.*…  fixture/),
  ]);
});
