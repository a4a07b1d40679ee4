import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import { carriedEntries } from "../../../../evals/trial/sandbox/bounds.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 300_000 });

const leaves = (files: number): string => `mkdir many; (cd many; seq ${files} | xargs touch); echo done > out.txt\n`;
const refused = expect.stringMatching(/more than \d+ entries; it is refused/);

async function recordOf(solve: string): Promise<TrialRecord> {
  const records: TrialRecord[] = [];
  const request = await fixtureRequest([await fixtureTask({ solve })], { jobs: 1 });
  await bench(request, await benchPorts(), { onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)) });
  const [record] = records;
  if (!record) throw new Error("one trial has one record");
  return record;
}

describe("many empty files, which take no bytes", () => {
  it("are refused beyond what verification carries: the agent's failure, in one attempt", async () => {
    const record = await recordOf(leaves(carriedEntries));
    expect(record).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "verifier", says: refused }));
  });
});
