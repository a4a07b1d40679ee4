import { describe, expect, it } from "vitest";
import { againstItself } from "../../../evals/job/results/against-itself.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { job } from "../compare/scored-job.ts";

const [base] = job({ a: { t: [0] } }).records;
const record = (change: Partial<TrialRecord>): TrialRecord => ({ ...(base as TrialRecord), ...change }); // there is one

describe("a record against itself", () => {
  it("may have the mean of several rewards as its score, or less where it says why, and no more", () => {
    const rewards = { speed: 0.5, style: 1 };
    expect(againstItself(record({ rewards, score: 0.75, passed: false, class: "agent" }))).toEqual([]);
    const none = { rewards, score: 0, passed: false, class: "agent" } as const;
    expect(againstItself(record({ ...none, error: "The reward is not taken: a test was skipped." }))).toEqual([]);
    expect(againstItself(record(none))).toEqual(["score 0 with a reward of 0.75"]);
    expect(againstItself(record({ rewards, score: 1, passed: true, class: "passed" }))).toEqual(["score 1 with a reward of 0.75"]);
  });

  it("goes by the reward of that name where there is one", () => {
    const rewards = { reward: 0, style: 1 };
    expect(againstItself(record({ rewards, score: 0.5, passed: false, class: "agent" }))).toEqual(["score 0.5 with a reward of 0"]);
  });

  it("may have any finite score that its rewards give: more than 1, or less than 0", () => {
    expect(againstItself(record({ rewards: { reward: 7 }, score: 7, passed: true, class: "passed" }))).toEqual([]);
    expect(againstItself(record({ rewards: { reward: -3 }, score: -3, passed: false, class: "agent" }))).toEqual([]);
    expect(againstItself(record({ rewards: { reward: 1 }, score: 7, passed: true, class: "passed" }))).toEqual([
      "score 7 with a reward of 1",
    ]);
  });

  it("has no score without rewards but 0, and none at all where the machinery failed", () => {
    expect(againstItself(record({ rewards: null, score: 0, passed: false, class: "agent" }))).toEqual([]);
    expect(againstItself(record({ rewards: null, score: 0, passed: false, class: "verifier" }))).toEqual([]);
    expect(againstItself(record({ rewards: null, score: 0.5, passed: false, class: "agent" }))).toEqual(["score 0.5 without rewards"]);
    expect(againstItself(record({ rewards: null, score: 0, passed: false, class: "infra" }))).toEqual(["class infra with passed false"]);
  });

  it("says that it was simulated where its model is", () => {
    const modelIdentity = { ...record({}).modelIdentity, simulated: true };
    expect(againstItself(record({ modelIdentity, simulated: true }))).toEqual([]);
    expect(againstItself(record({ modelIdentity, simulated: false }))).toEqual(["simulated false with a simulated model"]);
  });
});
