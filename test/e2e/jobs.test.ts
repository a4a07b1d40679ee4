import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256 } from "../../harness/hash/sha256.ts";
import { forgeHere as forge } from "../cli/forge-here.ts";
import { cleanUp, emptyFolder, get, jsonLines, put } from "./forge.ts";

afterAll(cleanUp);

const local = ["--agent", "oracle", "--sandbox", "local", "--json"];

let made: Promise<{ folder: string; job: string }> | undefined;
/** A copy of a finished job of one trial in `jobs/`; answers the folder in which `jobs` lies and the job's name. */
async function finished(): Promise<{ folder: string; job: string }> {
  const { folder, job } = await (made ??= finish());
  const copy = emptyFolder();
  cpSync(folder, copy, { recursive: true });
  return { folder: copy, job };
}
async function finish(): Promise<{ folder: string; job: string }> {
  const folder = emptyFolder();
  const { code, stdout, stderr } = await forge(["bench", "demo", "--filter", "greet", "--config", "bare", ...local], { cwd: folder });
  expect(code, stderr).toBe(0);
  return { folder, job: String(jsonLines(stdout)[0]?.["job"]) };
}

describe("forge jobs", { timeout: 180_000 }, () => {
  it("lists jobs, shows one, and resumes it from elsewhere with more repeats and another configuration, running only what is missing", async () => {
    const { folder, job } = await finished();
    const list = await forge(["jobs", "list", "--json"], { cwd: folder });
    expect(jsonLines(list.stdout)).toMatchObject([{ job, status: "finished", recorded: 1, trials: 1, configurations: ["bare"] }]);
    expect((await forge(["jobs", "list"], { cwd: folder })).stdout).toMatch(new RegExp(`${job.slice(0, 4)} +demo +bare +1/1 +finished`));

    const path = join(folder, "jobs", job);
    const resumed = await forge(["jobs", "resume", path, "--repeats", "2", "--config", "standard", "--json"], { cwd: emptyFolder() });
    expect(resumed.code, resumed.stderr).toBe(0);
    const events = jsonLines(resumed.stdout);
    expect(events[0]).toMatchObject({ type: "job.start", job, trials: 4, finished: 1 });
    expect(events.filter(({ type }) => type === "trial.end")).toHaveLength(3);

    const shown = await forge(["jobs", "show", job.slice(0, 6)], { cwd: folder });
    expect(shown.stdout).toMatch(/finished, 4 of 4 trials recorded/);
    expect(shown.stdout).toMatch(/bare[^]*2\/2[^]*standard[^]*2\/2/);
  });

  it("that were handed on run no code that was not trusted here, and send nothing to a distant address", async () => {
    const code = `import { writeFileSync } from "node:fs";
import { z } from "zod";
writeFileSync(new URL("./ran", import.meta.url), "");
export default { name: "theirs", version: "1", options: z.strictObject({}), create: () => ({ name: "theirs", version: "1" }) };
`;
    const folder = emptyFolder({ "theirs.ts": code, "arm.yaml": "extends: bare\nmiddleware: [./theirs.ts]\n" });
    const [theirs, mine] = [{ HOME: emptyFolder() }, { HOME: emptyFolder() }];
    const begun = ["bench", "demo", "--filter", "greet", "--config", "arm.yaml", "--sandbox", "local-unsafe", "--out", "job"];
    expect((await forge(begun, { cwd: folder, env: theirs })).code).toBe(0);
    rmSync(join(folder, "ran"));

    const refused = await forge(["jobs", "resume", "job", "--repeats", "2"], { cwd: folder, env: mine });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/theirs\.ts .*you have not trusted.*--trust/) as unknown]);
    expect(existsSync(join(folder, "ran"))).toBe(false);
    const own = await forge(["jobs", "resume", "job", "--repeats", "2"], { cwd: folder, env: theirs });
    expect(own.code, own.stderr).toBe(0);
    const trusted = await forge(["jobs", "resume", "job", "--repeats", "3", "--trust"], { cwd: folder, env: mine });
    expect(trusted.code, trusted.stderr).toBe(0);

    const config = JSON.parse(get(folder, "job/config.json")) as { asked: object };
    put(folder, "job/config.json", JSON.stringify({ ...config, asked: { ...config.asked, baseUrl: "http://192.0.2.1/v1" } }));
    const distant = await forge(["jobs", "resume", "job", "--trust"], { cwd: folder, env: mine });
    expect([distant.code, distant.stderr]).toEqual([2, expect.stringContaining("give --base-url http://192.0.2.1/v1 to send") as unknown]);
  });

  it("shows a job's regrades, those of a job that has none as none", async () => {
    const { folder, job } = await finished();
    expect((await forge(["jobs", "show", job], { cwd: folder })).stdout).not.toContain("regrades");
    const regrade = await forge(["bench", "regrade", job, "--json"], { cwd: folder });
    expect(regrade.code, regrade.stderr).toBe(0);
    const { id } = jsonLines(regrade.stdout).at(-1) as { id: string }; // our own line
    const shown = await forge(["jobs", "show", job], { cwd: folder });
    expect(shown.stdout).toMatch(new RegExp(`regrades, in .*/regrades:\\n  ${id} greet: 1 trial, passed 1 → 1, [0-9.]+ s ago`));
    const [overview] = jsonLines((await forge(["jobs", "show", job, "--json"], { cwd: folder })).stdout);
    expect(overview).toMatchObject({ regrades: [{ id, trials: [{ task: "greet", how: "graded" }] }] });
  });

  it("regrades the trials that can be, and ends with 1 where it left others out, whose names and reasons it tells", async () => {
    const { folder, job } = await finished();
    expect((await forge(["jobs", "resume", job, "--repeats", "2"], { cwd: folder })).code).toBe(0);
    const path = `jobs/${job}/trials/greet/bare/2/result.json`;
    const published = get(folder, path);
    const why = "What the agent changed was not kept: it was too large.";
    const other = JSON.stringify({ ...(JSON.parse(published) as object), delta: { kept: false, why } });
    put(folder, path, other);
    const changed = await forge(["bench", "regrade", job], { cwd: folder });
    expect([changed.code, changed.stderr]).toEqual([4, expect.stringContaining(path) as unknown]);
    // as if it had been published so
    const journal = `jobs/${job}/journal.jsonl`;
    put(folder, journal, get(folder, journal).replace(sha256(published), sha256(other)));
    const told = await forge(["bench", "regrade", job, "--json"], { cwd: folder });
    expect(told.code, told.stderr).toBe(1);
    const trials = [
      { repeat: 1, how: "graded", after: { score: 1 } },
      { repeat: 2, how: "left-out", after: { score: null }, why },
    ];
    expect(jsonLines(told.stdout).at(-1)).toMatchObject({ type: "result", trials });
    const shown = await forge(["bench", "regrade", job], { cwd: folder });
    expect([shown.code, shown.stdout]).toEqual([
      1,
      expect.stringMatching(/1 left out[^]* {2}greet +bare +2: What .* too large\./) as unknown,
    ]);
  });

  it("cleans what was broken off, says before what it would do, and leaves results alone", async () => {
    const { folder, job } = await finished();
    const path = join(folder, "jobs", job);
    for (const left of ["unfinished/x~attempt-1", "trials/greet/bare/1/attempt-2"]) {
      mkdirSync(join(path, left), { recursive: true });
      writeFileSync(join(path, left, "trace.jsonl"), "");
    }
    const result = get(folder, `jobs/${job}/trials/greet/bare/1/result.json`);
    const dry = await forge(["jobs", "clean", "--dry-run"], { cwd: folder });
    expect(dry.stdout.match(/would remove/g)).toHaveLength(2);
    expect(existsSync(join(path, "unfinished/x~attempt-1"))).toBe(true);
    expect((await forge(["jobs", "clean", "--older-than", "1h"], { cwd: folder })).stdout).toMatch(/left alone .*younger/);
    expect((await forge(["jobs", "clean"], { cwd: folder })).stdout).toMatch(/removed 2 things/);
    expect([existsSync(join(path, "unfinished")), existsSync(join(path, "trials/greet/bare/1/attempt-2"))]).toEqual([false, false]);
    expect(get(folder, `jobs/${job}/trials/greet/bare/1/result.json`)).toBe(result);
    expect((await forge(["jobs", "show", job, "--json"], { cwd: folder })).stdout).toContain('"recorded":1');
  });

  it.each([
    [["jobs", "show", "nothing"], 3, /There is no job "nothing"/],
    [["jobs", "list", "nowhere"], 3, /There is no folder nowhere/],
    [["jobs", "clean", "--older-than", "soon"], 2, /expected a time such as 30m, 12h or 7d/],
  ])("says what is wrong with %j", async (args, code, message) => {
    const answer = await forge(args, { cwd: emptyFolder() });
    expect([answer.code, answer.stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});
