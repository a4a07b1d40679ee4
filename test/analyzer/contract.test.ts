import { describe, expect, it } from "vitest";
import {
  analysisSchema,
  classOf,
  findingSchema,
  issueSchema,
  kinds,
  priorities,
  statuses,
  type Analysis,
  type Finding,
  type Issue,
} from "../../analyzer/contract.ts";

const finding: Finding = {
  run: "jobs/1a2b3c/trials/a/b/1/attempt-1",
  rank: 1,
  kind: "malformed-call",
  class: "reasoning-error",
  detector: "unknown-tool",
  seq: 7,
  step: 1,
  quote: 'There is no tool "sed".',
  why: 'It calls a tool "sed", which does not exist.',
  source: "rule",
  lever: "tool-call-repair",
  confidence: "high",
};
const issue: Issue = {
  id: "3f2a",
  title: "Calls a tool that does not exist",
  kind: "malformed-call",
  mechanism: "no such tool: sed",
  runs: [finding.run],
  failed: 1,
  passed: 0,
  interval: [0.2, 1],
  families: ["a"],
  configurations: ["b"],
  models: ["local/small"],
  lever: "tool-call-repair",
  patch: null,
  predictedFixes: [],
  atRisk: [],
  priority: priorities[1],
  status: statuses[0],
};

describe("the contract of an analysis", () => {
  it("takes what the design names, and nothing else in a finding", () => {
    const analysis: Analysis = {
      analysis: "a1f3",
      runs: 2,
      failed: 1,
      leftOut: [],
      findings: [finding],
      issues: [issue],
      unclassified: [],
    };
    expect(analysisSchema.parse(analysis)).toEqual(analysis);
    expect(issueSchema.parse(issue)).toEqual(issue);
    expect(findingSchema.safeParse({ ...finding, rank: 0 }).success).toBe(false);
    expect(findingSchema.safeParse({ ...finding, lever: "a larger model" }).success).toBe(false);
    expect(findingSchema.safeParse({ ...finding, known: "x" }).success).toBe(false);
  });

  it("has a class for each of the 29 kinds", () => {
    expect(Object.keys(classOf).toSorted()).toEqual(kinds.toSorted());
    expect(kinds).toHaveLength(29);
  });
});
