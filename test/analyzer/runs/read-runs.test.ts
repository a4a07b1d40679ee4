import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findSources } from "../../../analyzer/runs/find-sources.ts";
import { createRunReader, isLeftOut } from "../../../analyzer/runs/read-runs.ts";
import { eventsOf, makeRun, type MadeRun } from "../make-run.ts";
import { writeRun } from "../../traces/write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-analyzed-runs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const demo = join(import.meta.dirname, "../../../cli/demo/recorded.tar.gz");
const never = new AbortController().signal;
const made: MadeRun = { turns: [{ calls: [{ args: "ls", output: "a.txt" }] }, { text: "DONE" }], passed: false };

async function readAll(sources: readonly string[]): Promise<{ read: string[]; leftOut: { run: string; why: string }[] }> {
  const reader = createRunReader();
  const [read, leftOut]: [string[], { run: string; why: string }[]] = [[], []];
  for (const found of await findSources(sources, never)) {
    const inspected = await reader.inspect(found);
    const run = isLeftOut(inspected) ? inspected : await reader.read(inspected);
    if (isLeftOut(run)) leftOut.push(run);
    else read.push(run.name);
  }
  return { read, leftOut };
}

describe("a check of a recorded call", () => {
  it.each([
    [{ result: "passed" }, true],
    [{ result: "failed" }, false],
    [{ result: "unknown", why: "masked" }, undefined],
    [{ passed: true }, true],
    [{ passed: false }, false],
  ])("is read from %j as passed: %s", async (verdict, passed) => {
    const events = eventsOf({
      turns: [{ calls: [{ args: "pytest", output: "..", check: { command: "pytest", passed: true } }] }],
      passed: false,
    });
    const result = events.find(({ t }) => t === "tool.result");
    const reply = result?.d["reply"] as { effects: { check: object } }; // as eventsOf makes it
    reply.effects.check = { command: "pytest", ...verdict };
    const folder = join(root, `check-${JSON.stringify(verdict).replaceAll(/\W+/g, "-")}`);
    writeRun(folder, events);
    const [found] = await findSources([folder], never);
    const reader = createRunReader();
    const run = found ? await reader.inspect(found) : undefined;
    const read = run && !isLeftOut(run) ? await reader.read(run) : undefined;
    expect(read && !isLeftOut(read) ? read.steps[0]?.check : "not read").toEqual({ command: "pytest", passed });
  });
});

describe("reading the runs of what was named", () => {
  it("reads an archive of a job, with the verdict of each trial and what its tests printed", async () => {
    const reader = createRunReader();
    const found = await findSources([demo], never);
    expect(found).toHaveLength(96);
    const one = found.find(({ name }) => name.includes("security-fix") && name.includes("standard-text/3"));
    if (!one) throw new Error("the archive has no such run");
    const inspected = await reader.inspect(one);
    if (isLeftOut(inspected)) throw new Error(inspected.why);
    const run = await reader.read(inspected);
    expect(run).toMatchObject({
      configuration: "standard-text",
      passed: false,
      family: "security-fix",
      class: "agent",
      imported: undefined,
    });
    expect(isLeftOut(run) ? "" : run.report).toContain("✗");
    expect(one.name).toMatch(/recorded\.tar\.gz#trials\/security-fix/);
  });

  it("leaves out what is half-written, damaged, of a later version or another program's, each with a sentence", async () => {
    const folder = join(root, "mixed");
    const run = (name: string): string => writeRun(join(folder, name), eventsOf({ ...made, instruction: `Task of ${name}.` }));
    run("whole");
    rmSync(join(run("cut"), "seal.json"));
    truncateSync(join(run("damaged"), "trace.jsonl"), 200);
    const later = run("later");
    rmSync(join(later, "seal.json"));
    writeFileSync(join(later, "seal.json"), '{"v":2,"count":1}\n');
    mkdirSync(join(folder, "foreign"));
    writeFileSync(join(folder, "foreign", "trace.jsonl"), '{"hello": "world"}\n');
    cpSync(join(folder, "whole"), join(folder, "whole-again"), { recursive: true });
    const { read, leftOut } = await readAll([folder]);
    expect(read).toEqual([join(folder, "whole")]);
    const why = Object.fromEntries(leftOut.map((one) => [one.run.slice(folder.length + 1), one.why]));
    expect(Object.keys(why)).toEqual(["cut", "damaged", "foreign", "later", "whole-again"]);
    expect(why["cut"]).toContain("half-written");
    expect(why["damaged"]).toContain("Restore it from a copy");
    expect(why["foreign"]).toContain("another program");
    expect(why["whole-again"]).toContain("same run");
    for (const sentence of Object.values(why)) expect(sentence).toMatch(/\.$/);
  });

  it("names the same runs whichever source is given first, and none twice", async () => {
    const [a, b] = ["a", "b"].map((name) => writeRun(join(root, "two", name), eventsOf({ ...made, instruction: name })));
    const both = [a ?? "", b ?? ""];
    expect((await readAll([...both, join(root, "two")])).read).toEqual(both);
    expect((await readAll(both.toReversed())).read).toEqual(both);
  });

  it("says what to do where a source holds no run, or is not there", async () => {
    mkdirSync(join(root, "empty"));
    await expect(findSources([join(root, "empty")], never)).rejects.toThrow(/Give the folder of a run or of a job/);
    await expect(findSources([join(root, "nowhere")], never)).rejects.toThrow(/forge jobs list/);
    appendFileSync(join(root, "text.tgz"), "no archive");
    await expect(findSources([join(root, "text.tgz")], never)).rejects.toThrow(/text\.tgz/);
  });
});

describe("the view of a run", () => {
  it("counts tool calls from 1, and a final answer as one more", async () => {
    const run = await makeRun({ turns: [{ calls: [{ args: "ls" }, { args: "pwd" }] }, { calls: [{ args: "id" }] }, { text: "DONE" }] });
    expect(run.steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(run.replies.map(({ step }) => step)).toEqual([1, 3, 4]);
    expect(run.end.step).toBe(4);
  });

  it("finds the answer of a middleware that refused a call in the request that brought it", async () => {
    const refused = { args: "ls", deniedBy: "loop-detection", output: "Not executed: it was made before." };
    const { steps } = await makeRun({ turns: [{ calls: [refused] }, { text: "DONE" }] });
    expect(steps[0]).toMatchObject({ status: "denied", observation: "Not executed: it was made before.", edited: undefined });
  });

  it("takes a shell's exit code from behind the output alone", async () => {
    const output = "<tool_output>\nExit code: 0\n</tool_output>\nExit code: 2 (it failed)";
    expect((await makeRun({ turns: [{ calls: [{ args: "x", output }] }] })).steps[0]?.exitCode).toBe(2);
    const codeOf = async (text: string): Promise<number | undefined> =>
      (await makeRun({ turns: [{ calls: [{ args: "x", output: text, status: "error", error: "exit_code" }] }] })).steps[0]?.exitCode;
    expect(await codeOf("fine")).toBeUndefined();
    expect(await codeOf("No output. Exit code: 1")).toBe(1);
    expect(await codeOf("<tool_output>\nExit code: 0\n")).toBeUndefined();
    expect(await codeOf("all is well, it says\nExit code: 0")).toBeUndefined();
    expect(await codeOf("<tool_output>\nx\n</tool_output>\nEnded after 5 ms.\nExit code: 0")).toBeUndefined();
  });

  it("does not know what an imported run edited", async () => {
    const calls = [{ args: "ls", output: "a.txt" }];
    expect((await makeRun({ turns: [{ calls }], imported: "steps" })).steps[0]?.edited).toBeUndefined();
    expect((await makeRun({ turns: [{ calls }] })).steps[0]?.edited).toEqual([]);
  });
});
