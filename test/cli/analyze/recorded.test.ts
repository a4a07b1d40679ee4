import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedRuns } from "../../analyzer/analyst/reading.ts";
import { eventsOf } from "../../analyzer/make-run.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, type Answer } from "../../e2e/forge.ts";
import { startModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { writeRun } from "../../traces/write-run.ts";

/** One claim about each run. Two runs: so how claims are sorted is asked too. */
function replyTo({ body }: ReceivedRequest): ScriptedReply {
  const n = /table (\d)/.exec(JSON.stringify(body["messages"]))?.[1] ?? "0";
  const claim = { seq: 6, why: "It summed the wrong column.", kind: "wrong-cause", lever: "none", confidence: "high" };
  return { text: JSON.stringify({ findings: [{ ...claim, quote: `first column of table ${n} is 4` }] }) };
}

let cwd: string;
/** Where the recording is, as the message names it. */
let recorded: string;
beforeAll(async () => {
  cwd = emptyFolder();
  failedRuns(join(cwd, "runs"), 2);
  const server = await startModelServer({ always: replyTo });
  try {
    const { code, stderr } = await forge(["analyze", "runs", "--model", "local/reader", "--base-url", server.url, "--one-call"], { cwd });
    if (code !== 0) throw new Error(stderr);
  } finally {
    await server.close();
  }
  const [id = ""] = readdirSync(join(cwd, ".forge/analyses"));
  recorded = join(".forge/analyses", id, "analyst");
}, 300_000);
afterAll(cleanUp);

let made = 0;
/** A copy of the recording in a folder of its own. */
function copied(): string {
  const name = `copy-${made++}`;
  cpSync(join(cwd, recorded), join(cwd, name), { recursive: true });
  return name;
}
const asked = async (folder: string, ...sources: string[]): Promise<Answer> =>
  forge(["analyze", ...(sources.length > 0 ? sources : ["runs"]), "--recorded", folder, "--store", "served/issues"], { cwd });
const name = 'name the folder "analyst" of an analysis, such as .forge/analyses/ID/analyst.\n';

/** The folder of the conversation about a run, in a recording. */
const about = (folder: string, text: string): string =>
  readdirSync(join(cwd, folder)).find((key) => readFileSync(join(cwd, folder, key, "1/trace.jsonl"), "utf8").includes(text)) ?? "";

describe("forge analyze --recorded", { timeout: 120_000 }, () => {
  it("serves what a model said before, from the conversations or the analysis that has them", async () => {
    for (const folder of [recorded, join(recorded, "..")]) {
      const { code, stdout, stderr } = await asked(folder);
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/The analyst read 2 failed runs .*: 2 cited claims;\s+dropped: none/);
    }
  });

  it.each([
    ["nowhere", () => "nowhere", `error: --recorded nowhere: there is no such folder; ${name}`],
    ["a file", () => (writeFileSync(join(cwd, "file"), ""), "file"), `error: --recorded file: it is a file; ${name}`],
    [
      "an empty folder",
      () => (mkdirSync(join(cwd, "empty")), "empty"),
      `error: --recorded empty: it holds no recorded conversation; ${name}`,
    ],
    ["runs", () => "runs", `error: --recorded runs: failed-0 is a run, and no conversation of an analyst; ${name}`],
  ])("says what to name instead of %s", async (_, folder, said) => {
    expect(await asked(folder())).toMatchObject({ code: 3, stderr: said });
  });

  it("names the damaged file of the recording itself, and leaves the next analysis whole", async () => {
    const folder = copied();
    const trace = join(folder, about(folder, "table 0"), "1/trace.jsonl");
    writeFileSync(join(cwd, trace), readFileSync(join(cwd, trace), "utf8").replace("wrong column", "wrong colour"));
    const { code, stderr } = await asked(folder);
    expect(code).toBe(4);
    expect(stderr).toMatch(new RegExp(`^error: ${trace} is damaged at byte \\d+ \\(event \\d+\\): .* Restore it from a copy`));
    expect((await asked(recorded)).code).toBe(0);
  });

  it("names the run that it holds nothing about", async () => {
    const folder = copied();
    rmSync(join(cwd, folder, about(folder, "table 1")), { recursive: true });
    const cure = "analyze the runs that it was recorded of, or name a model that reads these with --model.\n";
    const said = `error: --recorded ${folder}: it holds no finished conversation about runs/failed-1; ${cure}`;
    expect(await asked(folder)).toMatchObject({ code: 3, stderr: said });
    failedRuns(join(cwd, "others"), 3);
    const other = `error: --recorded ${recorded}: it holds no finished conversation about others/failed-2; ${cure}`;
    expect(await asked(recorded, "others")).toMatchObject({ code: 3, stderr: other });
  });

  it("says so where what it names alone would be sorted otherwise than it was", async () => {
    const folder = copied();
    rmSync(join(cwd, folder, about(folder, "analyst-clusters")), { recursive: true });
    const { code, stderr } = await asked(folder);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `error: --recorded ${folder}: it does not hold how what it names alone was sorted, since rules, contrast or runs have changed since it was recorded; have a model read the runs again with --model.\n`,
    );
  });

  it("refuses a recording of another version of the prompts", async () => {
    const folder = copied();
    const key = about(folder, "table 0");
    const place = join(cwd, folder, key, "1");
    rmSync(place, { recursive: true });
    const events = eventsOf({ turns: [{ text: "{}" }] });
    const start = events[0];
    if (start) Object.assign(start.d, { meta: { analyst: { question: key, prompt: "1" } } });
    writeRun(place, events);
    const { code, stderr } = await asked(folder);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      new RegExp(
        `^error: --recorded ${folder}: ${key}/1 was recorded with version 1 of the analyst's prompts, and this Forge has version \\d+; have a model read the runs again with --model\\.\\n$`,
      ),
    );
  });
});
