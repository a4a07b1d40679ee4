import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchPorts } from "../../../../evals/bench-ports.ts";
import { carriedEntries } from "../../../../evals/trial/sandbox/bounds.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 300_000 });

const leaves = (files: number): string => `mkdir many; (cd many; seq ${files} | xargs touch); echo done > out.txt\n`;
const refused = expect.stringMatching(/more than \d+ entries; it is refused/);
const few = 50;

/** Ports of a bench whose sandboxes carry `few` entries where they would carry `carriedEntries`, which take long to make. */
async function carryFew(): Promise<BenchPorts> {
  const ports = await benchPorts();
  const bounded = (sandbox: Sandbox): Sandbox => ({
    ...sandbox,
    download(from, to, o = {}) {
      const { maxEntries = 0 } = o;
      return sandbox.download(from, to, maxEntries < carriedEntries ? o : { ...o, maxEntries: maxEntries - carriedEntries + few });
    },
  });
  return {
    ...ports,
    provider(kind) {
      const real = ports.provider(kind);
      return {
        ...real,
        async prepare(...of) {
          const prepared = await real.prepare(...of);
          return { ...prepared, create: async (options) => bounded(await prepared.create(options)) };
        },
      };
    },
  };
}

async function recordOf(solve: string): Promise<TrialRecord> {
  const records: TrialRecord[] = [];
  const request = await fixtureRequest([await fixtureTask({ solve })], { jobs: 1 });
  await bench(request, await carryFew(), { onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)) });
  const [record] = records;
  if (!record) throw new Error("one trial has one record");
  return record;
}

describe("many empty files, which take no bytes", () => {
  it("are refused beyond what verification carries: the agent's failure, in one attempt", async () => {
    const record = await recordOf(leaves(few));
    expect(record).toMatchObject({ class: "agent", score: 0, attempt: 1, error: refused });
    expect(record.evidence).toContainEqual(expect.objectContaining({ kind: "verifier", says: refused }));
  });

  it("are carried up to that", async () => {
    expect(await recordOf(leaves(few - 10))).toMatchObject({ class: "passed", score: 1 });
  });
});
