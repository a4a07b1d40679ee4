import { cpSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobFolder } from "../../evals/job/job-folder.ts";
import type { TrialPlace } from "../../evals/trial/trial-place.ts";
import type { JsonObject } from "../../harness/json.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";
import { forgeHere as forge } from "./forge-here.ts";
import { cleanUp, emptyFolder, get, put, type Answer } from "../e2e/forge.ts";

afterAll(cleanUp);

/** Clears the screen, sets the title, colours, turns the direction round, hides, and begins a line that looks like ours. */
const attack = "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u200b\r\n✓ all: exact 9/9 \u001b[8m";
/** What a terminal obeys: control and formatting characters, new lines and tabs apart. */
const obeyed = /[^\P{C}\n\t]/u;
const unharmed = (answer: Answer): void => {
  expect(answer.stdout).not.toMatch(obeyed);
  expect(answer.stderr).not.toMatch(obeyed);
  expect(`${answer.stdout}${answer.stderr}`).not.toMatch(/^✓ all/m);
};

let made = "";
beforeAll(async () => {
  made = emptyFolder();
  const arms = ["--config", "bare", "--config", "standard"];
  const answer = await forge(["bench", "demo", "--filter", "greet", "--sandbox", "local", ...arms, "--out", "job"], { cwd: made });
  if (answer.code !== 0) throw new Error(answer.stderr);
});

/** A job of two arms, as anyone may hand it on, with what its files say changed, hashes and folders with it: what does not fit is refused before it is shown. */
function job(change: (text: string) => string = (text) => text): string {
  const folder = emptyFolder();
  cpSync(join(made, "job"), join(folder, "job"), { recursive: true });
  for (const path of readdirSync(join(folder, "job"), { recursive: true, encoding: "utf8" }))
    if (/(^lock|result|record)\.json$/.test(path)) put(folder, join("job", path), change(get(folder, join("job", path))));
  put(folder, "job/journal.jsonl", get(folder, "job/journal.jsonl").replaceAll(/,"sha256":"[0-9a-f]{64}"/g, ""));
  const { trial } = jobFolder(join(folder, "job"));
  for (const configuration of ["bare", "standard"]) {
    const from = `trials/greet/${configuration}/1`;
    const to = trial(JSON.parse(get(folder, join("job", from, "result.json"))) as TrialPlace); // as the bench wrote it
    if (to === from) continue;
    mkdirSync(join(folder, "job", dirname(to)), { recursive: true });
    renameSync(join(folder, "job", from), join(folder, "job", to));
  }
  return folder;
}
const inJson = JSON.stringify(attack).slice(1, -1);

describe("text of a job that someone else made", () => {
  it("cannot steer the terminal of forge compare: names of suite, tasks, configurations and models", async () => {
    const folder = job((text) =>
      text
        .replaceAll('"greet"', `"greet${inJson}"`)
        .replaceAll('"standard"', `"standard${inJson}"`)
        .replaceAll('"demo"', `"demo${inJson}"`)
        .replaceAll(/"name": "(default)"/g, `"name": "$1${inJson}"`),
    );
    renameSync(join(folder, "job"), join(folder, "j\u001b[2J"));
    const table = await forge(["compare", "j\u001b[2J", "--all"], { cwd: folder });
    expect(table.code, table.stderr).toBe(0);
    for (const name of ["greet", "standard", "demo", "default"]) expect(table.stdout).toContain(`${name}\uFFFD[2J`);
    unharmed(table);
    unharmed(await forge(["compare", "j\u001b[2J"], { cwd: folder }));
    const json = await forge(["compare", "j\u001b[2J", "--json"], { cwd: folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ suite: `demo${attack}` });
    unharmed(json);
    unharmed(await forge(["compare", "j\u001b[2J", "--baseline", `no${attack}`], { cwd: folder }));
  });

  it("cannot steer it where jobs are not comparable or their files are damaged", async () => {
    const folder = job((text) =>
      text.replaceAll('"sandbox": "local"', '"sandbox": "local-unsafe"').replaceAll(/"digest": "/g, `"digest": "${inJson}`),
    );
    const other = job();
    const apart = await forge(["compare", "job", join(other, "job")], { cwd: folder });
    expect(apart.code).not.toBe(0);
    unharmed(apart);
    put(folder, "job/lock.json", get(folder, "job/lock.json").replace('"repeats": 1', `"repeats": "${inJson}"`));
    const damaged = await forge(["compare", "job"], { cwd: folder });
    expect(damaged.code).toBe(4);
    unharmed(damaged);
  });
});

describe("text of a trace that someone else made", () => {
  /** The same run, whole in every hash, with each text of its last event changed. */
  async function changedRun(): Promise<string> {
    const folder = job();
    const [path] = readdirSync(join(folder, "job"), { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith("trace.jsonl"));
    const trace = await loadTrace(join(folder, "job", String(path), ".."));
    const recorder = recordTrace(join(folder, `run\u001b[2J`), { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0 });
    for (const event of trace.events) {
      const text = JSON.stringify(event.d).replaceAll(/"text":"([^"]*)"/g, `"text":"$1${inJson}"`);
      const d = event.t === "tool.result" ? event.d : (JSON.parse(text) as JsonObject); // data of an event
      if (event.t === "run.end") recorder.emit({ ...event, d: { ...d, answer: `done${attack}` } });
      else recorder.emit(event);
    }
    recorder.seal(null);
    return folder;
  }

  it("cannot steer the terminal of forge replay, nor pass for a line of ours", async () => {
    const folder = await changedRun();
    const answer = await forge(["replay", "run\u001b[2J"], { cwd: folder });
    expect(answer.code, answer.stderr).toBe(1);
    expect(answer.stdout).toContain("\uFFFD[2J");
    unharmed(answer);
    const json = await forge(["replay", "run\u001b[2J", "--json"], { cwd: folder });
    expect(json.stdout).toContain("\\u009b31m");
    unharmed(json);
  });

  it("cannot steer it by what a damaged file says", async () => {
    const folder = emptyFolder({ "run/trace.jsonl": `{"v":1,"seq":0,"t":"${attack}"}\n{"${attack}\n` });
    const answer = await forge(["replay", "run"], { cwd: folder });
    expect(answer.code).toBe(4);
    unharmed(answer);
  });
});

describe("a line of JSON", () => {
  it("says the same as JSON.stringify, in characters that no terminal obeys", () => {
    const value = { [attack]: [attack, "ä 😀", null, 1.5], astral: "\u{e0001}\u{1bca0}" };
    expect(jsonLine(value)).not.toMatch(obeyed);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
    expect(jsonLine(value)).toContain("ä 😀");
  });
});
