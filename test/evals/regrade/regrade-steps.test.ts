import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { checkRewards } from "../../../evals/archive/check/check-rewards.ts";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { regradeJob } from "../../../evals/regrade/regrade-job.ts";
import type { RegradeResult } from "../../../evals/job/results/regrade-result.ts";
import { trialRecordSchema, type TrialRecord } from "../../../evals/trial/trial-record.ts";
import type { Task } from "../../../tasks/task.ts";
import { needs, sampled } from "../../needs.ts";
import { signal, verify } from "../archive/archive-fixture.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";
import { mendedSteps, reward, skipped, stepsTask, type StepFiles } from "../steps-task.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

async function jobOf(tasks: Task[], change: Partial<BenchRequest> = {}): Promise<string> {
  return (await bench(await fixtureRequest(tasks, { sandbox: "bubblewrap", ...change }), await benchPorts(), { retryMs: 1 })).folder;
}
const recordIn = async (folder: string, task = "by-steps"): Promise<TrialRecord> =>
  trialRecordSchema.parse(JSON.parse(await readFile(join(folder, "trials", task, "plain/1/result.json"), "utf8")));
const regrade = async (job: string, ...tasks: Task[]): Promise<RegradeResult> => regradeJob({ job, tasks }, await benchPorts(), { signal });

const made = (name: string, check = `[ -e ${name} ]`): StepFiles => ({ solve: `touch ${name}`, check });
const apart = (name: string): string => `artifacts = ["${name}"]\n[steps.verifier]\nenvironment_mode = "separate"`;

for (const sandbox of ["bubblewrap", "docker"] as const)
  describe.skipIf(needs(sandbox))(`a regrade of a task in steps in ${sandbox}`, () => {
    it("verifies each step again from what was kept of it, and leaves the job as it was", async () => {
      const three = { ...made("three", "[ -e three ] && [ ! -e two ]"), toml: apart("three") };
      const steps = { one: made("one"), two: made("two", "[ ! -e two ]"), three };
      const whole = sampled(["bubblewrap", "docker"], ["bubblewrap"]).includes(sandbox);
      const few = whole ? steps : { two: steps.two, three };
      const task = await stepsTask(few);
      const job = await jobOf([task], { sandbox });
      const before = await recordIn(job);
      const all = Object.keys(few).length;
      expect(before).toMatchObject({ rewards: { reward: (all - 1) / all }, mode: "hardened" });
      const earlier = whole ? "[ -e one ] && " : "";
      const result = await regrade(job, await mendedSteps(task, { two: reward(`${earlier}[ -e two ] && [ ! -e three ]`) }));
      expect(result.trials).toMatchObject([{ before: { passed: false }, after: { score: 1, passed: true }, how: "graded" }]);
      expect(await recordIn(result.folder)).toMatchObject({
        class: "passed",
        rewards: { reward: 1 },
        regrade: { before: { score: (all - 1) / all } },
      });
      expect(await recordIn(job)).toEqual(before);
      if (!whole) return;
      const worse = await regrade(job, await mendedSteps(task, { three: reward("[ -e one ]") }));
      expect(worse.trials).toMatchObject([{ after: { score: 2 / 3 } }]);
      expect(await recordIn(job)).toEqual(before);
    });
  });

describe.skipIf(needs("bubblewrap"))("a regrade of a task in steps", () => {
  it("ends where a step misses what it must reach by now, and leaves out a trial that would go on where it ended", async () => {
    const steps = { one: { ...made("one"), toml: "min_reward = 1.0" }, two: made("two") };
    const task = await stepsTask(steps);
    const job = await jobOf([task]);
    const stricter = await regrade(job, await mendedSteps(task, { one: reward("[ -e two ]") }));
    expect(stricter.trials).toMatchObject([{ before: { score: 1 }, after: { class: "agent", score: 0 }, how: "graded" }]);

    const ended = await stepsTask({ ...steps, one: { ...steps.one, check: "false" } });
    const other = await fixtureTask({ name: "other" });
    const both = await jobOf([ended, other]);
    const mended = await mendedSteps(ended, { one: reward("[ -e one ]") });
    const why = 'The trial ended at step "one", and by the current tests it continues: of step "two" there is no work.';
    await expect(regrade(both, mended)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(why) as unknown });
    const result = await regrade(both, mended, other);
    expect(result.trials).toMatchObject([
      { task: "by-steps", how: "left-out", after: { score: null }, why },
      { task: "other", how: "graded", after: { score: 1 } },
    ]);
    expect(result.leftOut).toBeUndefined(); // the agent ended there: the trial counts against a claim, as one without a score
  });

  it("keeps a step that its agent kept away at nothing, whatever the tests of the others say", async () => {
    const two = { solve: "true", check: "true", brings: { "setup.sh": "[ ! -e one ]\n" } };
    const task = await stepsTask({ one: made("one", "false"), two });
    const job = await jobOf([task]);
    expect(await recordIn(job)).toMatchObject({ class: "agent", rewards: { reward: 0 } });
    const result = await regrade(job, await mendedSteps(task, { one: reward("[ -e one ]") }));
    expect(result.trials).toMatchObject([{ after: { class: "agent", score: 0.5 }, how: "graded" }]);
  });

  it("takes no step's reward whose tests were skipped", async () => {
    const task = await stepsTask({ one: made("one"), two: made("two") });
    const job = await jobOf([task]);
    const result = await regrade(job, await mendedSteps(task, { one: skipped }));
    expect(result.trials).toMatchObject([{ before: { score: 1 }, after: { class: "agent", score: 0.5, passed: false }, how: "graded" }]);
  });

  it("of official mode wants the word that the workdir is enough, except where every verifier has an environment of its own", async () => {
    const shared = await stepsTask({ one: made("one"), two: { ...made("two"), toml: apart("two") } });
    const own = await stepsTask(
      { one: { ...made("one"), toml: apart("one") }, two: { ...made("two"), toml: apart("two") } },
      { name: "own" },
    );
    const job = await jobOf([shared, own], { mode: "official" });
    await expect(regrade(job, shared)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("--kept-is-enough") as unknown,
    });
    expect((await regrade(job, own)).trials).toMatchObject([{ task: "own", after: { score: 1 }, how: "graded" }]);
    const tasks = [await mendedSteps(shared, { one: reward("[ -e two ]") })];
    const named = await regradeJob({ job, tasks, keptIsEnough: true }, await benchPorts(), { signal });
    expect(named).toMatchObject({ keptInPart: 1, trials: [{ before: { score: 1 }, after: { score: 0.5 } }] });
  });

  it("is what an archive's rewards are checked by, also where the last step left nothing that was kept", async () => {
    const broke = { solve: "touch two; truncate -s 70000000 big", check: "[ -e two ]" };
    const [whole, large] = [
      await stepsTask({ one: made("one"), two: made("two") }),
      await stepsTask({ one: made("one"), two: broke }, { name: "large" }),
    ];
    const job = await jobOf([whole, large]);
    const out = join(await scratch(), "job.tar.gz");
    await exportJob({ job, out, forgeVersion: "0.1.0" }, { signal });
    const at = join(job, "trials/by-steps/plain/1/attempt-1/steps.json");
    await writeFile(at, (await readFile(at, "utf8")).replace('"reward": 1', '"reward": 0'));
    const again = exportJob({ job, out: join(await scratch(), "other.tar.gz"), forgeVersion: "0.1.0" }, { signal });
    await expect(again).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(/rewards .*, and its steps make/) as unknown });
    const ports = await benchPorts();
    const { checks } = await verify(
      out,
      {},
      { rewards: (folder, of) => checkRewards({ folder, job: of, tasks: [whole, large], whyNone: "no tasks" }, ports, { signal }) },
    );
    expect(checks.filter(({ state }) => state === "fails")).toEqual([]);
    expect(checks.filter(({ name }) => name === "rewards").map(({ state, says }) => `${state}: ${says}`)).toEqual([
      expect.stringMatching(/^holds: 1 verified again/),
      expect.stringMatching(/^unchecked: .*what the agents changed in task large was not kept for every trial/),
    ]);
    const torn = await verify(
      out,
      {},
      {
        rewards: async (folder, of) => {
          await writeFile(join(folder, "trials/by-steps/plain/1/attempt-1/steps.json"), "{}");
          return checkRewards({ folder, job: of, tasks: [whole], whyNone: "no tasks" }, ports, { signal });
        },
      },
    );
    expect(torn.checks.filter(({ name }) => name === "rewards")).toMatchObject([
      { state: "unchecked", says: expect.stringContaining("does not list the steps of a task") as unknown },
    ]);
  });
});
