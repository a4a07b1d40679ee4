import { describe, expect, it } from "vitest";
import { choosePatches, isRemoval } from "../../../analyzer/improve/choose-patches.ts";
import { storedIssueSchema, type StoredIssue } from "../../../analyzer/issues/stored-issue.ts";

const issue = (id: string, o: Partial<StoredIssue> = {}): StoredIssue =>
  storedIssueSchema.parse({
    v: 1,
    id,
    number: 1,
    title: id,
    kind: "no-check",
    mechanism: id,
    runs: [],
    failed: 1,
    passed: 0,
    interval: [0, 1],
    families: ["sql-report"],
    configurations: [],
    models: [],
    lever: null,
    patch: "",
    predictedFixes: [],
    atRisk: [],
    priority: "fix",
    status: "accepted",
    history: [{ what: "found", at: 1 }],
    keys: [],
    lost: 1,
    tasks: [],
    forms: [],
    evidence: [],
    suggestion: "",
    because: "",
    alternatives: [],
    change: { limits: { turns: Number(id) } },
    gain: 1,
    guessed: 0,
    contrast: null,
    base: { name: "mine", hash: "h", model: "m", file: { extends: "bare" } },
    ...o,
  });

const rules = { hash: "h", develop: ["sql-report", "pipeline"], auto: false, most: undefined };
const ids = (issues: readonly StoredIssue[], o: { auto?: boolean; most?: number } = {}): string[] =>
  choosePatches(issues, { ...rules, ...o }).chosen.map(({ id }) => id);

describe("the patches of an improvement", () => {
  it("are the accepted ones of its configuration, in the order of their ids", () => {
    const base = { name: "other", hash: "x", model: "m", file: { extends: "bare" } };
    const advice = issue("5", { change: null, patch: null });
    expect(ids([issue("3"), issue("1"), issue("2", { status: "open" }), issue("4", { base }), advice])).toEqual(["1", "3"]);
  });

  it("rest on develop families alone; others are left out with the reason", () => {
    const { chosen, refused } = choosePatches(
      [issue("1", { families: ["sql-report", "git-merge"] }), issue("2", { families: ["build-fix"] })],
      rules,
    );
    expect([chosen, refused.map(({ why }) => why)]).toEqual([
      [],
      [
        "it was found in runs of git-merge, which this improvement may not read",
        "it was found in runs of build-fix, which this improvement may not read",
      ],
    ]);
  });

  it("with the gate open are also proposals that are worth it, the first ones up to the number asked for", () => {
    const open = { status: "open" as const };
    const all = [issue("4", open), issue("3"), issue("2", { ...open, priority: "drop" }), issue("1", { ...open, families: ["git-merge"] })];
    expect(ids(all)).toEqual(["3"]);
    expect(ids(all, { auto: true })).toEqual(["3", "4"]);
    expect(ids(all, { auto: true, most: 1 })).toEqual(["3"]);
  });

  it("hold each change once", () => {
    const change = { tools: ["bash"] };
    const { chosen, refused } = choosePatches([issue("1", { change }), issue("2", { change }), issue("3")], rules);
    expect([chosen.map(({ id }) => id), refused.map(({ issue: { id }, why }) => [id, why])]).toEqual([
      ["1", "3"],
      [["2", "its change is that of 1"]],
    ]);
  });
});

describe("a removal", () => {
  it("takes middleware away and changes nothing else", () => {
    expect(isRemoval({ extends: "standard", middleware: [{ name: "loop-detection", off: true }] })).toBe(true);
    expect(isRemoval({ middleware: ["loop-detection"] })).toBe(false);
    expect(isRemoval({ middleware: [{ name: "loop-detection", off: true }], limits: { turns: 3 } })).toBe(false);
    expect(isRemoval({ middleware: [] })).toBe(false);
  });
});
