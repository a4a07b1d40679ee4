import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyze } from "../../../analyzer/analysis/analyze.ts";
import { acceptIssue, type HashOf } from "../../../analyzer/gate/accept-issue.ts";
import { applyPatch } from "../../../analyzer/gate/apply-patch.ts";
import { editPatch } from "../../../analyzer/gate/decide.ts";
import { checkLeaks } from "../../../analyzer/gate/leak-check.ts";
import { findIssue, issuesIn } from "../../../analyzer/issues/issue-store.ts";
import type { StoredIssue } from "../../../analyzer/issues/stored-issue.ts";
import { configRegistry } from "../../../assembly/registry.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { systemClock } from "../../../harness/system-ports.ts";

const root = mkdtempSync(join(tmpdir(), "forge-gate-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [analyses, store] = [join(root, "analyses"), join(root, "issues")];
const hashOf: HashOf = (path, model) =>
  loadConfig(
    [
      { kind: "values", label: "the recording", config: { model } },
      { kind: "config", value: path, folder: dirname(path), owner: "user" },
    ],
    configRegistry,
  );
const noLeaks = { leaks: [], tasks: 0, files: 0, literals: undefined };
const deciding = { out: join(root, "patches"), by: "me", at: 5, leaks: noLeaks, hashOf };
let issue: StoredIssue;

beforeAll(async () => {
  const demo = join(import.meta.dirname, "../../../cli/demo/recorded.tar.gz");
  const { issues } = await analyze(
    { sources: [demo], analyses, store },
    { clock: systemClock, signal: new AbortController().signal, presets: configRegistry.presets },
  );
  issue = findIssue({ issues, broken: [] }, issues.find(({ change }) => change !== null)?.id ?? "");
});

describe("accepting an issue", () => {
  it("writes the recorded configuration, with the recorded harness hash, and a patch that extends it", async () => {
    const { base, patch, hashBefore, hashAfter, exact, issue: accepted } = await acceptIssue(issue, deciding);
    expect(exact).toBe(true);
    expect(hashBefore).toBe(issue.base?.hash);
    expect(hashAfter).not.toBe(hashBefore);
    expect(readFileSync(patch, "utf8")).toContain("extends: ./standard-text.yaml\ntools:\n  - bash\n");
    expect(accepted.status).toBe("accepted");
    expect(accepted.history.at(-1)).toEqual({ what: "accepted", at: 5, by: "me", hashBefore, hashAfter, files: [base, patch] });
  });

  it("leaves a file alone that has the base's name and other content", async () => {
    const out = join(root, "taken");
    await acceptIssue(issue, { ...deciding, out });
    writeFileSync(join(out, "standard-text.yaml"), "extends: bare\n");
    const { base, patch } = await acceptIssue(issue, { ...deciding, out });
    expect(readFileSync(join(out, "standard-text.yaml"), "utf8")).toBe("extends: bare\n");
    expect(base).toBe(join(out, "standard-text-2.yaml"));
    expect(readFileSync(patch, "utf8")).toContain("extends: ./standard-text-2.yaml");
  });

  it("refuses a recommendation, a leak, and a patch that changes nothing", async () => {
    await expect(acceptIssue({ ...issue, change: null, patch: null }, deciding)).rejects.toThrow(/no patch but a recommendation/);
    const leaks = { ...noLeaks, leaks: [{ what: "task name" as const, word: "fix-backup" }] };
    await expect(acceptIssue(issue, { ...deciding, leaks })).rejects.toThrow(/holds "fix-backup", a task name/);
    await expect(acceptIssue({ ...issue, change: { limits: { turns: 15 } } }, deciding)).rejects.toThrow(/changes nothing/);
  });

  it("takes a patch of the model alone, which has no part in the harness hash, and refuses one that sets what is set already", async () => {
    const {
      hashBefore,
      hashAfter,
      issue: accepted,
    } = await acceptIssue({ ...issue, change: { model: { maxOutputTokens: 9000 } } }, deciding);
    expect(hashAfter).toBe(hashBefore);
    expect(accepted.history.at(-1)).toMatchObject({ what: "accepted", by: "me", at: 5, hashBefore, hashAfter });
    const { model } = await hashOf(accepted.history.at(-1)?.files?.[0] ?? "", issue.base?.model ?? "");
    const same = acceptIssue({ ...issue, change: { model: { maxOutputTokens: model.maxOutputTokens } } }, deciding);
    await expect(same).rejects.toThrow(
      /changes nothing of .*: both have the harness hash \w{12} and the same model settings\. Edit the patch/,
    );
  });
});

describe("the leak check", () => {
  it("finds names of tasks and files of the analysis, and literals of tests, and nothing in the proposed patch", async () => {
    expect((await checkLeaks(issue.patch ?? "", issue, { analyses, taskFolders: [] })).leaks).toEqual([]);
    const folder = join(root, "a-task");
    const tests = join(folder, "tests");
    mkdirSync(tests, { recursive: true });
    writeFileSync(join(tests, "test.sh"), 'grep -q "the secret answer" out.txt\n');
    const [task = ""] = issue.tasks;
    const patch = `prompt:\n  hint: In ${task} write "the secret answer" to service.ini\n`;
    const { leaks, literals } = await checkLeaks(patch, issue, { analyses, taskFolders: [folder] });
    expect(literals).toBe(1);
    expect(leaks.map(({ what }) => what)).toContain("literal of a test or solution");
    expect(leaks.map(({ word }) => word)).toContain(task);
  });
});

describe("editing an issue", () => {
  const edit = (text: string): StoredIssue => editPatch(issue, { text, path: "mine.yaml", by: "me", at: 6 });

  it("takes any change of a configuration in place of the proposed one", () => {
    expect(edit("limits: {turns: 30}\n")).toMatchObject({ change: { limits: { turns: 30 } }, status: "open" });
  });

  it("says where a patch is wrong and what to do", () => {
    expect(() => edit("tols: [bash]\n")).toThrow(/^mine\.yaml: tols: .*did you mean "tools".*edit again\.$/);
    expect(() => edit("a: [")).toThrow(/^mine\.yaml: it is not YAML .*edit again\.$/);
    expect(() => edit("extends: bare\n")).toThrow(/changes nothing/);
  });
});

describe("a store that a person edited", () => {
  it("says which value of which file is wrong, what is expected and what to do, and works with the others", async () => {
    const path = join(store, `${issue.id}.json`);
    const before = readFileSync(path, "utf8");
    const { issues: all } = await issuesIn(store);
    const said = async (text: string): Promise<string> => {
      writeFileSync(path, text);
      const { issues, broken } = await issuesIn(store);
      expect(issues.map(({ id }) => id)).toEqual(all.map(({ id }) => id).filter((id) => id !== issue.id));
      expect(() => findIssue({ issues, broken }, issue.id)).toThrow(broken[0]?.why);
      expect(broken).toHaveLength(1);
      return broken[0]?.why ?? "";
    };
    expect(await said(before.replace('"priority": "fix"', '"priority": "urgent"'))).toMatch(
      /\.json: priority: expected one of fix, fix if easy, drop, got "urgent"; correct it, or remove the file/,
    );
    expect(await said(before.replace('"title"', '"titel"'))).toMatch(/title/);
    expect(await said(before.slice(0, 1000))).toMatch(/it is no JSON .*; correct it/);
    expect(await said(before.replace(`"id": "${issue.id}"`, '"id": "ffffffff"'))).toMatch(/id: expected .*put it back/);
    expect(await said(before.replace(String.raw`tools:\n  - bash`, String.raw`tools:\n  - read`))).toMatch(
      /patch: expected the keys of "change" .* forge issues edit/,
    );
    writeFileSync(path, before.replace(/"title": "[^"]*"/, '"title": "My own words"'));
    expect((await issuesIn(store)).issues.map(({ title }) => title)).toContain("My own words");
    writeFileSync(path, before);
  });

  it("finds an issue by its number and by the beginning of its id, and names those there are", async () => {
    const stored = await issuesIn(store);
    expect(findIssue(stored, String(issue.number)).id).toBe(issue.id);
    expect(findIssue(stored, issue.id.slice(0, 5)).id).toBe(issue.id);
    expect(() => findIssue(stored, "zz")).toThrow(/There is no issue "zz"; there are 1 \(/);
    expect(() => findIssue({ issues: [], broken: [] }, "1")).toThrow(/forge analyze JOB/);
    const other = { ...issue, id: "0badcafe", runs: ["jobs/other/trials/a/bare/1/attempt-1"] };
    expect(() => findIssue({ issues: [issue, other], broken: [] }, String(issue.number))).toThrow(
      /^2 issues have the number \d+ \(\w{8} of \S+; 0badcafe of jobs\/other\); name one by its id\.$/,
    );
  });
});

describe("applying an accepted patch", () => {
  it("lays it into a configuration whose comments and other keys stay, and does nothing before it is accepted", async () => {
    const to = join(root, "forge.yaml");
    await expect(applyPatch(issue, to)).rejects.toThrow(/is not accepted/);
    const { issue: accepted, patch } = await acceptIssue(issue, deciding);
    expect((await applyPatch(accepted, to)).after).toBe(`extends: ./patches/${patch.split("/").at(-1)}\n`);
    writeFileSync(to, "# mine\nextends: standard\ntools: [bash, read]\nmiddleware: [local-context]\n");
    const { after } = await applyPatch(accepted, to);
    expect(after).toContain("# mine\nextends: standard\n");
    expect(after).toContain("tools:\n  - bash\nmiddleware: [ local-context ]");
  });
});
