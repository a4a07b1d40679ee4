import { describe, expect, it } from "vitest";
import type { RunLine } from "../../../analyzer/analysis/run-line.ts";
import type { IssueDraft } from "../../../analyzer/issues/issue-draft.ts";
import { mergeIssues } from "../../../analyzer/issues/merge-issues.ts";
import type { StoredIssue } from "../../../analyzer/issues/stored-issue.ts";
import { completeIssue, rejectIssue } from "../../../analyzer/gate/decide.ts";

const draftOf = (o: Partial<IssueDraft> = {}): IssueDraft => ({
  id: "0000000a",
  title: "No such tool: sed",
  kind: "malformed-call",
  mechanism: "no such tool: sed (2)",
  runs: ["r1", "r2"],
  failed: 2,
  passed: 0,
  interval: [0.3, 1],
  families: ["f"],
  configurations: ["c"],
  models: ["m"],
  lever: "other-tool",
  patch: "tools: [bash]\n",
  predictedFixes: [],
  atRisk: [],
  priority: "fix",
  status: "open",
  keys: ["k1", "k2"],
  lost: 2,
  tasks: ["t1", "t2"],
  forms: [],
  evidence: [],
  suggestion: "offer bash alone",
  because: "",
  alternatives: [],
  change: { tools: ["bash"] },
  base: null,
  gain: 1,
  guessed: 0,
  radius: null,
  contrast: null,
  ...o,
});
const looked = (tasks: readonly string[], model = "m", configuration = "c"): RunLine[] =>
  tasks.map((task) => ({ task, model, configuration }) as RunLine); // all that a merge reads
const merge = (
  stored: readonly StoredIssue[],
  drafts: readonly IssueDraft[],
  analysis: string,
  runs = looked(["t1", "t2"]),
): StoredIssue[] => mergeIssues(stored, drafts, { analysis, at: 1, runs });
const told = (issues: readonly StoredIssue[]): string[][] => issues.map(({ history }) => history.map(({ what }) => what));

describe("an issue between analyses", () => {
  it("keeps its id as it grows, shrinks, is gone and is back", () => {
    const found = merge([], [draftOf()], "a");
    const grown = merge(found, [draftOf({ id: "0000000b", failed: 5, keys: ["k2", "k3"] })], "b");
    const shrunk = merge(grown, [draftOf({ failed: 1 })], "c");
    const gone = merge(shrunk, [], "d");
    const back = merge(gone, [draftOf()], "e");
    expect(told(back)).toEqual([["found", "grown", "shrunk", "gone", "back"]]);
    expect(back[0]).toMatchObject({ id: "0000000a", status: "open", keys: ["k1", "k2", "k3"] });
    expect(gone[0]?.status).toBe("gone");
  });

  it("is not gone where its tasks, its model or its configuration were not looked at", () => {
    const found = merge([], [draftOf()], "a");
    expect(merge(found, [], "b", looked(["other"]))).toEqual(found);
    expect(merge(found, [], "b", looked(["t1", "t2"], "another"))).toEqual(found);
    expect(merge(found, [], "b", looked(["t1", "t2"], "m", "other"))).toEqual(found);
  });

  it("does not change when the same analysis is made again", () => {
    const found = merge([], [draftOf()], "a");
    expect(merge(found, [draftOf()], "a")).toEqual(found);
  });

  it("stays rejected, and the same change is not proposed under another name", () => {
    const rejected = merge([], [draftOf()], "a").map((issue) => rejectIssue(issue, { reason: "we need edit", by: "me", at: 2 }));
    const [again, other] = merge(rejected, [draftOf({ failed: 9 }), draftOf({ id: "0000000c", keys: ["k9"] })], "b");
    expect(again).toMatchObject({ status: "rejected", failed: 9 });
    expect(other).toMatchObject({
      status: "open",
      change: null,
      patch: null,
      suggestion: "offer bash alone (rejected in 0000000a: we need edit)",
    });
  });

  it("once completed, is open again where a run that has its change shows it, and stays completed where runs without it do, or none", () => {
    const base = { name: "c", hash: "h", model: "m", file: {} };
    const [found] = merge([], [draftOf({ base })], "a");
    const completed = found ? [completeIssue({ ...found, status: "accepted" }, { at: 2, improvement: "i" })] : [];
    const after = (drafts: IssueDraft[]): unknown[] =>
      merge(completed, drafts, "b").map(({ status, history }) => [status, history.at(-1)?.what]);
    expect(after([draftOf({ base })])).toEqual([["completed", "same"]]);
    expect(after([])).toEqual([["completed", "completed"]]);
    expect(after([draftOf({ base: { ...base, hash: "other" } })])).toEqual([["open", "back"]]);
    expect(after([draftOf()])).toEqual([["open", "back"]]); // nobody knows what these runs had
  });

  it("leaves the place of a file that cannot be read to it, its number too", () => {
    const found = merge([], [draftOf(), draftOf({ id: "0000000b", keys: ["k7"] })], "a");
    const [first, second] = found;
    const file = { id: "0000000a", number: 1, keys: [], file: "x", why: "broken." };
    const broken = [file];
    const again = mergeIssues(
      second ? [second] : [],
      [draftOf(), draftOf({ id: "0000000b", keys: ["k7"] }), draftOf({ id: "0000000c", keys: ["k8"] })],
      {
        analysis: "b",
        at: 1,
        runs: [],
        broken,
      },
    );
    expect(again.map(({ id, number }) => `${number} ${id}`)).toEqual(["1 0000000a", "2 0000000b", "3 0000000c"]);
    const byKeys = mergeIssues([], [draftOf({ id: "0000000d" })], {
      analysis: "b",
      at: 1,
      runs: [],
      broken: [{ ...file, keys: first?.keys ?? [] }],
    });
    expect(byKeys.map(({ id, number }) => `${number} ${id}`)).toEqual(["1 0000000a"]);
  });

  it("keeps a title that a person wrote into the file, and takes a new one where it was left alone", () => {
    const [found] = merge([], [draftOf()], "a");
    const stored = found ? [found] : [];
    const mine = stored.map((issue): StoredIssue => ({ ...issue, title: "Mine" }));
    const other = draftOf({ title: "No such tool: sed, grep", suggestion: "offer bash" });
    expect(merge(merge(mine, [other], "b"), [draftOf()], "c")[0]).toMatchObject({ title: "Mine", suggestion: "offer bash alone" });
    expect(merge(stored, [other], "b")[0]).toMatchObject({ title: "No such tool: sed, grep", suggestion: "offer bash" });
  });

  it("does not propose a rejected change again in a later analysis either", () => {
    const [rejected, other] = merge([], [draftOf(), draftOf({ id: "0000000c", keys: ["k9"], change: { tools: ["read"] } })], "a");
    const stored = [...(rejected ? [rejectIssue(rejected, { reason: "no", by: "me", at: 2 })] : []), ...(other ? [other] : [])];
    expect(merge(stored, [draftOf({ id: "0000000c", keys: ["k9"] })], "b")[0]).toMatchObject({ id: "0000000c", change: null, patch: null });
  });

  it("keeps what a person wrote", () => {
    const edited = merge([], [draftOf()], "a").map((issue): StoredIssue => ({
      ...issue,
      title: "Mine",
      change: { tools: ["read"] },
      history: [...issue.history, { what: "edited", at: 2, by: "me" }],
    }));
    expect(merge(edited, [draftOf()], "b")[0]).toMatchObject({ title: "Mine", change: { tools: ["read"] } });
  });

  it("gets another id where its own is taken by another mechanism", () => {
    const found = merge([], [draftOf()], "a");
    const both = merge(found, [draftOf({ keys: ["k8"] })], "b", looked(["t9"]));
    expect(both.map(({ id, number }) => `${number} ${id}`).toSorted()).toEqual(["1 0000000a", "2 0000000b"]);
  });
});
