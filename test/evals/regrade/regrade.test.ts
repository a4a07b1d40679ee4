import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import { compare } from "../../../evals/compare/compare.ts";
import { loadJob } from "../../../evals/job/results/load-job.ts";
import { findLeavings, removeLeavings } from "../../../evals/job/clean-job.ts";
import { regradeJob } from "../../../evals/regrade/regrade-job.ts";
import { regradeResultSchema } from "../../../evals/job/results/regrade-result.ts";
import { layOutArtifacts } from "../../../evals/trial/keep/lay-out-artifacts.ts";
import { outcomeGroup } from "../../../evals/report/outcome-group.ts";
import { trialRecordSchema, type Mode, type TrialRecord } from "../../../evals/trial/trial-record.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import { comparisonMarkdown } from "../../../reports/markdown/comparison.ts";
import { describeRegrade, regradeLine } from "../../../reports/terminal/regrade-table.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { needs, sampled } from "../../needs.ts";
import { writeFiles } from "../../tasks/write-task.ts";
import {
  benchPorts,
  checkOut,
  fixtureConfig,
  fixtureRequest,
  fixtureTask,
  removeScratch,
  scratch,
  tellNoHashes,
} from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

const signal = new AbortController().signal;
/** Wants "finished" where the agent was asked for "done": the test is wrong, the work is right. */
const wrongTest = checkOut.replace("= done", "= finished");

/** The task with another test, as a person mends it. */
async function mended(task: Task, test: string): Promise<Task> {
  await writeFile(join(task.folder, "tests/test.sh"), `#!/bin/bash\n${test}\n`);
  await chmod(join(task.folder, "tests/test.sh"), 0o755);
  return loadTask(task.folder, { own: true });
}
async function jobOf(tasks: Task[], change: Parameters<typeof fixtureRequest>[1] = {}): Promise<string> {
  return (await bench(await fixtureRequest(tasks, change), await benchPorts(), { retryMs: 1 })).folder;
}
const recordIn = async (folder: string, task: string): Promise<TrialRecord> =>
  trialRecordSchema.parse(JSON.parse(await readFile(join(folder, "trials", task, "plain/1/result.json"), "utf8")));
async function allFiles(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const contents: Record<string, string> = {};
  for (const path of files.toSorted()) contents[path] = await readFile(path, "base64");
  return contents;
}

const kinds: SandboxKind[] = ["local", "bubblewrap", "docker"];
const modes: readonly Mode[] = ["hardened", "official"];
for (const sandbox of kinds)
  describe.skipIf(sandbox !== "local" && needs(sandbox))(`a regrade in ${sandbox}`, () => {
    it.each(sandbox === "local" ? modes : sampled<Mode>(modes, ["hardened"]))(
      "of %s trials gives the mended test's verdict, and leaves the job as it was",
      async (mode) => {
        const task = await fixtureTask({ test: wrongTest });
        const job = await jobOf([task], { sandbox, mode });
        expect(await recordIn(job, task.name)).toMatchObject({ passed: false, mode });
        const before = await allFiles(job);

        const keptIsEnough = mode === "official";
        const result = await regradeJob({ job, tasks: [await mended(task, checkOut)], keptIsEnough }, await benchPorts(), { signal });
        expect(result.keptInPart).toBe(keptIsEnough ? 1 : undefined);
        expect(result.trials).toMatchObject([{ before: { score: 0, passed: false }, after: { score: 1, passed: true }, how: "graded" }]);
        expect(result.tasks[task.name]?.digest.now).not.toBe(task.digest);
        if (sandbox === "docker") expect(result.tasks[task.name]?.image.now).toBe(result.tasks[task.name]?.image.before);
        expect(await recordIn(result.folder, task.name)).toMatchObject({
          class: "passed",
          rewards: { reward: 1 },
          regrade: { before: { score: 0 } },
        });
        expect(regradeResultSchema.parse(JSON.parse(await readFile(join(result.folder, "regrade.json"), "utf8")))).toEqual(result);

        expect(await allFiles(job)).toMatchObject(before);
        if (!sampled(kinds, ["local"]).includes(sandbox)) return;
        const again = await regradeJob({ job, tasks: [await mended(task, wrongTest)], keptIsEnough }, await benchPorts(), { signal });
        expect(again.trials).toMatchObject([{ before: { score: 0 }, after: { score: 0 } }]);
        expect((await readdir(join(job, "regrades"))).toSorted()).toEqual([result.id, again.id].toSorted());
      },
    );
  });

for (const sandbox of ["bubblewrap", "docker"] as const)
  describe.skipIf(needs(sandbox))(`a regrade in ${sandbox} of a task whose verifier has an environment of its own`, () => {
    /** Its test sees what the task's artifacts are, and nothing else of the agent. */
    async function separate(test: string, more = ""): Promise<Task> {
      const solve =
        "mkdir out && echo done > out/text && printf '#!/bin/sh\\necho yes\\n' > out/run && chmod +x out/run; ln -s text out/near; echo no > left";
      const { folder } = await fixtureTask({ solve });
      const toml = join(folder, "task.toml");
      const text = `artifacts = ["/app/out"${more}]\n${await readFile(toml, "utf8")}`;
      await writeFile(toml, text.replace("[verifier]", '[verifier]\nenvironment_mode = "separate"'));
      return mended(await loadTask(folder, { own: true }), test);
    }
    const right = `[ ! -e /app/left ] && [ "$(/app/out/run) $(cat /app/out/near)" = "yes done" ]`;
    const test = (check: string) => `if ${check}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`;

    it(`gives the mended test's verdict on the artifacts that were kept${sandbox === "docker" ? "" : ", again and again"}`, async () => {
      const task = await separate(test(`! { ${right}; }`));
      const job = await jobOf([task], { sandbox });
      expect(await recordIn(job, task.name)).toMatchObject({ score: 0, delta: { kept: true, artifacts: expect.any(String) } });
      const before = await allFiles(job);
      const better = await mended(task, test(right));
      for (let i = 0; i < (sandbox === "docker" ? 1 : 2); i += 1) {
        const result = await regradeJob({ job, tasks: [better] }, await benchPorts(), { signal });
        expect(result.trials).toMatchObject([{ before: { score: 0 }, after: { score: 1, passed: true }, how: "graded" }]);
        expect(describeRegrade(result)).not.toContain("another one");
        expect(await readdir(join(result.folder, "trials", task.name, "plain/1/attempt-1"))).toEqual(["verifier"]);
      }
      expect(await allFiles(job)).toMatchObject(before);
    });

    if (!sampled<SandboxKind>(["bubblewrap", "docker"], ["bubblewrap"]).includes(sandbox)) return;

    it("finds them where older jobs have them, in the attempt's own folder", async () => {
      const task = await separate(test(right));
      const job = await jobOf([task], { sandbox });
      const attempt = join(job, "trials", task.name, "plain/1/attempt-1");
      const record = await recordIn(job, task.name);
      const digest = String(record.delta?.artifacts);
      const to = join(job, "laid-out");
      await layOutArtifacts(attempt, { digest, blobs: join(job, "blobs"), to });
      for (const gone of ["artifacts", "delta.json"]) await rm(join(attempt, gone), { recursive: true });
      await rename(join(to, "artifacts"), join(attempt, "artifacts"));
      await rm(join(job, "blobs"), { recursive: true });
      const old = JSON.stringify({ ...record, delta: { kept: false, why: "It was not kept.", artifacts: digest } });
      for (const path of ["../result.json", "record.json"]) await writeFile(join(attempt, path), old);
      await tellNoHashes(job);
      const result = await regradeJob({ job, tasks: [task] }, await benchPorts(), { signal });
      expect(result.trials).toMatchObject([{ after: { score: 1 }, how: "graded" }]);
    });

    it("refuses artifacts that were changed, or were none when the trial ran, and a verifier that had no environment then", async () => {
      const task = await separate(test("true"));
      const job = await jobOf([task, await fixtureTask({ name: "plain-one" })], { sandbox });
      const regrade = async (one: Task) => regradeJob({ job, tasks: [one] }, await benchPorts(), { signal });
      const more = { ...task, artifacts: [...task.artifacts, { source: "/app/left", exclude: [] }] };
      await expect(regrade(more)).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringContaining('the artifact "/app/left", which the task did not have'),
      });
      await expect(regrade({ ...task, name: "plain-one" })).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(/No trial in .* plain-one, plain, repeat 1\. The task's verifier has an environment of its own now/),
      });
      const delta = join(job, "trials", task.name, "plain/1/attempt-1/delta.json");
      await writeFile(delta, (await readFile(delta, "utf8")).replace('"app/out/text"', '"app/out/else"'));
      await expect(regrade(task)).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringContaining("does not hold what its trial's record lists"),
      });
      expect(await readdir(join(job, "regrades"))).toEqual([]);
    });
  });

describe("a regrade", () => {
  let recorded: { task: Task; job: string };
  beforeAll(async () => {
    const task = await fixtureTask();
    recorded = { task, job: await jobOf([task]) };
  });
  /** A job of one trial that passed, and its task, for one test alone. */
  async function passed(): Promise<{ task: Task; job: string }> {
    const folder = await scratch();
    const own = { task: join(folder, recorded.task.name), job: join(folder, "job") };
    await cp(recorded.task.folder, own.task, { recursive: true });
    await cp(recorded.job, own.job, { recursive: true });
    return { task: await loadTask(own.task, { own: true }), job: own.job };
  }

  it("takes over the trials of other tasks, and is a folder that a comparison reads", async () => {
    const [one, two] = [await fixtureTask({ name: "one", test: wrongTest }), await fixtureTask({ name: "two" })];
    const job = await jobOf([one, two]);
    const result = await regradeJob({ job, tasks: [await mended(one, checkOut)] }, await benchPorts(), { signal });
    expect(result.trials.map(({ task }) => task)).toEqual(["one"]);
    const { lock, records } = await loadJob(result.folder);
    expect(records.map(({ task, passed }) => [task, passed])).toEqual([
      ["one", true],
      ["two", true],
    ]);
    expect(records.map(({ task, taskDigest }) => lock.tasks[task]?.digest === taskDigest)).toEqual([true, true]);
    for (const { trace } of records) expect(await readdir(join(result.folder, trace))).toContain("trace.jsonl");
    expect(new Set(records.map(({ key }) => key)).has((await recordIn(job, "one")).key)).toBe(false);
    expect(records[1]?.key).toBe((await recordIn(job, "two")).key);
  });

  it("verifies the trials of which enough was kept, and names the others, which have no score there; of none, it is refused", async () => {
    const large = "echo done > out.txt; truncate -s 70000000 big.bin";
    const [small, big] = [await fixtureTask({ name: "small", test: wrongTest }), await fixtureTask({ name: "big", solve: large })];
    const job = await jobOf([small, big]);
    expect(await recordIn(job, "big")).toMatchObject({ passed: true, delta: { kept: false, why: expect.stringContaining("64 MiB") } });
    await expect(regradeJob({ job, tasks: [big] }, await benchPorts(), { signal })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/No trial in .* can be verified again.*big, plain, repeat 1.*64 MiB.*new job/),
    });
    expect(await readdir(job)).not.toContain("regrades");
    const tasks = [await mended(small, checkOut), big];
    const result = await regradeJob({ job, tasks }, await benchPorts(), { signal });
    const why = expect.stringContaining("64 MiB") as unknown;
    expect(result.trials).toMatchObject([
      { task: "big", how: "left-out", before: { score: 1 }, after: { score: null, passed: null }, why },
      { task: "small", how: "graded", before: { score: 0 }, after: { score: 1 } },
    ]);
    expect(regradeResultSchema.parse(JSON.parse(await readFile(join(result.folder, "regrade.json"), "utf8")))).toEqual(result);
    expect(await recordIn(result.folder, "big")).toMatchObject({ score: null, error: why, regrade: { before: { score: 1 } } });
    const regraded = await loadJob(result.folder);
    const { records } = regraded;
    const told = /has no score of big, plain, repeat 1, which could not be verified again: What the agent changed .*64 MiB$/;
    expect(compare([regraded]).shortcomings).toEqual([expect.stringMatching(told)]);
    expect(records.map(outcomeGroup)).toEqual(["no score: too little was kept to verify it again", "passed"]);
    const table = describeRegrade(result);
    expect(table).toContain(
      "2 trials: 1 moved, 0 as before, 1 left out; passed 0 → 1\n1 trial could not be verified again, and has no score there:",
    );
    expect(table).toMatch(/\n {2}big {2}plain {2}1: What the agent changed was not kept: .*64 MiB.*\n/);
    expect(regradeLine(result, result.endedAt)).toContain("2 trials, 1 left out, passed 0 → 1");
  });

  it("is without a task that cannot be verified again whatever its agents did, in the lock as in the results, and says so wherever it is read", async () => {
    const good = await fixtureTask({ name: "good", test: wrongTest });
    const folder = await writeFiles(join(await scratch(), "by-steps"), {
      "task.toml": '[[steps]]\nname = "one"\n[metadata.forge]\nlocal = true\n',
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
      "steps/one/instruction.md": "Do it.\n",
      "steps/one/solution/solve.sh": "true\n",
      "steps/one/tests/test.sh": '#!/bin/bash\nlogs="${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"; echo 1 > "$logs/reward.txt"\n',
    });
    const steps = await loadTask(folder, { own: true });
    const configurations = [fixtureConfig("plain"), fixtureConfig("other", { limits: { turns: 9 } })];
    const job = await jobOf([good, steps], { mode: "official", configurations });
    await writeFile(join(folder, "task.toml"), '[[steps]]\nname = "uno"\n[metadata.forge]\nlocal = true\n');
    await rename(join(folder, "steps/one"), join(folder, "steps/uno"));
    const renamed = await loadTask(folder, { own: true });
    const asked = { job, tasks: [await mended(good, checkOut), renamed], keptIsEnough: true };
    const result = await regradeJob(asked, await benchPorts(), { signal });
    expect(result.leftOut).toEqual([
      { task: "by-steps", reason: expect.stringMatching(/other steps now: its step 1 was "one"\.$/) as unknown },
    ]);
    expect(regradeResultSchema.parse(JSON.parse(await readFile(join(result.folder, "regrade.json"), "utf8")))).toEqual(result);
    expect(result.trials.map(({ task, how }) => [task, how])).toEqual([
      ["by-steps", "left-out"],
      ["by-steps", "left-out"],
      ["good", "graded"],
      ["good", "graded"],
    ]);
    expect(describeRegrade(result)).toMatch(
      /4 trials: 2 moved, 0 as before, 2 left out; passed 0 → 2\n1 task could not be verified again, and is not in the results:\n {2}by-steps: Task "by-steps" has other steps/,
    );
    const regraded = await loadJob(result.folder);
    expect([Object.keys(regraded.lock.tasks), regraded.records.map(({ task }) => task)]).toEqual([["good"], ["good", "good"]]);
    expect((await readdir(join(result.folder, "trials"))).toSorted()).toEqual(["good"]);
    const { pairs, shortcomings } = compare([regraded]);
    expect(pairs.map(({ lost }) => lost)).toEqual([0]);
    expect(shortcomings).toEqual([
      expect.stringMatching(
        /is without task by-steps, which could not be verified again: Task "by-steps" has other steps now: its step 1 was "one"$/,
      ),
    ]);
    expect(comparisonMarkdown(compare([regraded]))).toMatch(/is without task by-steps.* was "one"\./);
  });

  it.skipIf(needs("docker"))(
    "refuses trials whose tests saw more than was kept, and takes the asker's word that they need no more",
    async () => {
      const solve = "echo done > out.txt; mkdir -p /opt/x; echo done > /opt/x/out.txt\n";
      const elsewhere = checkOut.replace('"${FORGE_WORKDIR:-/app}/out.txt"', "/opt/x/out.txt");
      const official = await fixtureTask({ name: "official", solve, test: elsewhere, hardened: false });
      const snapshot = await fixtureTask({ name: "snapshot", solve, test: elsewhere, forge: 'verify = "snapshot"' });
      const workdir = await fixtureTask({ name: "workdir" });
      const job = await jobOf([official, snapshot, workdir], { sandbox: "docker" });
      for (const { name } of [official, snapshot]) expect(await recordIn(job, name)).toMatchObject({ score: 1, delta: { kept: true } });
      const regrade = async (tasks: Task[], keptIsEnough = false) =>
        regradeJob({ job, tasks, keptIsEnough }, await benchPorts(), { signal });
      for (const [task, how] of [
        [official, "official mode"],
        [snapshot, 'verify = "snapshot"'],
      ] as const)
        await expect(regrade([task, workdir])).rejects.toMatchObject({
          exitCode: 3,
          message: expect.stringMatching(
            new RegExp(`1 of 2 trials in .* the first is ${task.name}, plain, repeat 1: .*${how}.*--kept-is-enough`),
          ),
        });
      expect(await readdir(job)).not.toContain("regrades");
      const named = await regrade([official, workdir], true);
      expect(named).toMatchObject({ keptInPart: 1, trials: [{ before: { score: 1 }, after: { score: 0 } }, { after: { score: 1 } }] });
      expect(describeRegrade(named)).toContain("1 trial had been judged by more than was kept (--kept-is-enough)");
    },
  );

  it("refuses tasks of which the job has no trial", async () => {
    const { job } = await passed();
    const other = await fixtureTask({ name: "other" });
    await expect(regradeJob({ job, tasks: [other] }, await benchPorts(), { signal })).rejects.toThrow(
      "has no trial of other; its tasks are write-out",
    );
  });

  it("finds a kept content that was changed or is missing, and keeps nothing", async () => {
    const { task, job } = await passed();
    const [path = ""] = (await readdir(join(job, "blobs"), { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));
    await writeFile(join(job, "blobs", path), "not done\n");
    const regrade = async () => regradeJob({ job, tasks: [task] }, await benchPorts(), { signal });
    await expect(regrade()).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("does not have the bytes") });
    await rm(join(job, "blobs", path));
    await expect(regrade()).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("is missing") });
    expect(await readdir(join(job, "regrades")).catch(() => [])).toEqual([]);
  });

  it("keeps nothing when it is ended", async () => {
    const { task, job } = await passed();
    const begun = join(await scratch(), "begun");
    const slow = await mended(task, `touch ${begun}; sleep 1000`);
    const stop = new AbortController();
    const regrade = regradeJob({ job, tasks: [slow] }, await benchPorts(), { signal: stop.signal });
    regrade.catch(() => undefined);
    await expect.poll(() => existsSync(begun)).toBe(true);
    stop.abort(new Error("interrupted"));
    await expect(regrade).rejects.toThrow("interrupted");
    expect(await readdir(join(job, "regrades")).catch(() => [])).toEqual([]);
  });

  it("is cleaned up after when it was killed, and not while it goes on", async () => {
    const { task, job } = await passed();
    await mended(task, "sleep 20");
    const child = spawn(
      process.execPath,
      ["node_modules/jiti/lib/jiti-cli.mjs", join(import.meta.dirname, "regrade-child.ts"), job, task.folder],
      { stdio: ["ignore", "inherit", "inherit"] },
    );
    const ended = once(child, "exit");
    const parts = async (): Promise<string[]> => {
      const found = await readdir(join(job, "regrades"), { recursive: true }).catch(() => []);
      return found.some((path) => path.endsWith("attempt-1")) ? found.filter((path) => path.endsWith(".part")) : [];
    };
    await vi.waitFor(async () => expect(await parts()).toHaveLength(1), { timeout: 60_000, interval: 50 });
    expect(await findLeavings(job)).toEqual([]);
    child.kill("SIGKILL");
    await ended;
    const leavings = await findLeavings(job);
    expect(leavings).toEqual((await parts()).map((part) => join(job, "regrades", part)));
    await removeLeavings(leavings);
    const { folder } = await regradeJob({ job, tasks: [await mended(task, checkOut)] }, await benchPorts(), { signal }); // sweeps, too
    expect(await readdir(join(job, "regrades"))).toEqual([basename(folder)]);
    expect((await readdir(folder)).toSorted()).toEqual(["SHA256SUMS", "lock.json", "regrade.json", "trials"]);
    expect(await findLeavings(job)).toEqual([]);
  });

  it("does not give a trial whose agent's reward cannot be read any more more than the trial itself would have", async () => {
    const task = await fixtureTask({ solve: "echo done > out.txt; touch bomb" });
    const job = await jobOf([task]);
    const broken = await mended(task, `[ -e "\${FORGE_WORKDIR:-/app}/bomb" ] && exit 1; ${checkOut}`);
    const { trials } = await regradeJob({ job, tasks: [broken] }, await benchPorts(), { signal });
    expect(trials).toMatchObject([{ before: { score: 1 }, after: { class: "verifier", score: 0 } }]);
  });
});
