import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { needs } from "../../needs.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, type FixtureTask } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

async function recordsOf(task: FixtureTask): Promise<TrialRecord[]> {
  const records: TrialRecord[] = [];
  const request = await fixtureRequest([await fixtureTask(task)], { sandbox: "docker", jobs: 1 });
  await bench(request, await benchPorts(), {
    retryMs: 1,
    onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)),
  });
  return records;
}

/** Something still runs, so that ending it may mean to start the container again, which needs a shell. */
const solve = "sleep 1000 >/dev/null 2>&1 & rm -f /bin/sh\n";

describe.skipIf(needs("docker"))("an agent that takes its container's shell away", () => {
  it.each(["workdir", "snapshot"])("has failed in its one attempt, verified by verify = %j", async (verify) => {
    const records = await recordsOf({ solve, forge: `verify = "${verify}"\n` });
    expect(records).toMatchObject([{ passed: false, attempt: 1, score: 0, class: expect.stringMatching(/^(agent|verifier)$/) as string }]);
  });

  it("has failed where nothing runs on, too", async () => {
    expect(await recordsOf({ solve: "rm -f /bin/sh\n" })).toMatchObject([{ passed: false, attempt: 1, score: 0 }]);
  });
});
