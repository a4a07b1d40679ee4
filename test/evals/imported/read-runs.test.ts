import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import type { ImportedRuns } from "../../../evals/imported/imported-runs.ts";
import { formatOf, readRuns } from "../../../evals/imported/read-runs.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/imported");
const root = mkdtempSync(join(tmpdir(), "forge-imported-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Scores by arm and task. */
const scores = ({ arms }: ImportedRuns): Record<string, Record<string, (number | null)[]>> =>
  Object.fromEntries(
    arms.map((arm) => [
      arm.name,
      Object.fromEntries([...arm.tasks].map(([task, trials]) => [task, trials.map(({ record }) => record.score)])),
    ]),
  );
function put(path: string, value: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof value === "string" ? value : JSON.stringify(value));
}

describe("jobs of Harbor", () => {
  it("gives a reward, the mean of several, and no score where there is none or the exception is not the agent's", async () => {
    const runs = await readRuns(join(fixtures, "harbor/harbor-0.24"));
    expect(runs.format).toBe("harbor");
    expect(scores(runs)).toEqual({
      oracle: {
        "probe-agent-folders": [1],
        "probe-agent-process-alive": [1],
        "probe-agent-reward-stays": [1],
        "probe-agent-test-replaced": [0],
        "probe-agent-tests-stay": [1],
        "probe-agent-time-out": [1],
        "probe-agent-user": [1],
        "probe-environment-env": [1],
        "probe-json-broken-text-good": [null],
        "probe-json-empty-object": [null],
        "probe-json-number": [null],
        "probe-json-one-key": [0.5],
      },
    });
    expect(runs.notKnown.join()).toContain("AgentTimeoutError 1, VerifierOutputParseError 1, ValidationError 1");
    expect(runs.shortcomings.join()).toContain("is invalid: 3 of 12 trials have no score");
  });

  it("tells two jobs of the same agent and task contents apart by nothing, and refuses other contents of a task", async () => {
    const [before, now] = [await readRuns(join(fixtures, "harbor/harbor-0.24")), await readRuns(join(fixtures, "harbor/harbor-0.25"))];
    const compared = compare([], {}, [before, now]);
    expect(compared.notComparable).toBeUndefined();
    expect(compared.pairs.map(({ a, b, verdict }) => [a, b, verdict.word])).toEqual([["oracle", `oracle (${now.place})`, "too few tasks"]]);
    const changed = { ...now, digests: new Map([["probe-agent-user", new Set(["harbor other"])]]) };
    expect(compare([], {}, [before, changed]).notComparable).toContain("differ in the content of task probe-agent-user");
  });

  it("says that a job is not finished, counts a trial that lies there twice once, and names the file that is cut off", async () => {
    cpSync(join(fixtures, "harbor/harbor-0.24"), join(root, "harbor"), { recursive: true });
    put("harbor/result.json", { n_total_trials: 20 });
    put("harbor/config.json", {});
    cpSync(join(fixtures, "harbor/harbor-0.24/probe-agent-user__7"), join(root, "harbor/copy"), { recursive: true });
    const runs = await readRuns(join(root, "harbor"));
    expect(runs.shortcomings[0]).toContain("is not finished: 13 of 20 trials");
    expect(runs.arms[0]?.countedOnce).toBe(1);
    put("harbor/copy/result.json", '{"id": "x", "task_');
    await expect(readRuns(join(root, "harbor"))).rejects.toThrow(/copy\/result\.json is cut off or no JSON; let Harbor finish it/);
    put("harbor/copy/result.json", { id: "x", task_name: 7 });
    await expect(readRuns(join(root, "harbor"))).rejects.toThrow(/is no result of Harbor that is known: task_name/);
  });
});

describe("runs of Terminal-Bench", () => {
  const meta = { agent_name: "a", model_name: "m", dataset_name: "core", dataset_version: "1", dataset_size: 2, n_attempts: 1 };
  const trial = (task: string, more: object): object => ({
    trial_name: `${task}.1-of-1`,
    task_id: task,
    is_resolved: true,
    failure_mode: "unset",
    ...more,
  });

  it("takes runs below one folder as repeats, leaves out what was never verified, and keeps a run inside of a run apart", async () => {
    for (const run of ["r1", "r2", "r2/r1"]) put(`tb/${run}/run_metadata.json`, meta);
    put("tb/r1/x/x.1/results.json", trial("x", { id: "1", total_input_tokens: 5, total_output_tokens: 2 }));
    put("tb/r1/y/y.1/results.json", trial("y", { id: "2", is_resolved: null, failure_mode: "parse_error" }));
    put("tb/r1/results.json", { results: [] });
    put("tb/r2/x/x.1/results.json", trial("x", { id: "3", is_resolved: false, failure_mode: "agent_timeout" }));
    put("tb/r2/r1/x/x.1/results.json", trial("x", { id: "1" }));
    put("tb/r2/r1/results.json", { results: [] });
    const runs = await readRuns(join(root, "tb"));
    expect(scores(runs)).toEqual({ a: { x: [1, 0], y: [null] } });
    expect(runs.arms[0]).toMatchObject({ model: "m", measuredBy: "Terminal-Bench", countedOnce: 1 });
    expect(runs.suite).toBe("core 1");
    expect(runs.shortcomings.join()).toContain("r2 is not finished: 1 of 2 trials");
    expect(compare([], {}, [runs]).arms[0]).toMatchObject({ tokens: { in: null, out: null, cached: null }, costUsd: null, turns: null });
  });

  it("reads the results of a whole run where those of the trials are gone", async () => {
    put("whole/run_metadata.json", meta);
    put("whole/results.json", { results: [trial("x", {}), trial("y", { is_resolved: false })] });
    expect(scores(await readRuns(join(root, "whole")))).toEqual({ a: { x: [1], y: [0] } });
  });
});

const unpacksZstd = process.versions.node.startsWith("20") ? spawnSync("zstd", ["--version"]).status === 0 : true;

describe("logs of Inspect", () => {
  it.skipIf(!unpacksZstd)("compares two archives by the headline's scorer, sample by sample", async () => {
    const [low, high] = [await readRuns(join(fixtures, "inspect/low")), await readRuns(join(fixtures, "inspect/high"))];
    const compared = compare([], {}, [low, high]);
    expect(compared.pairs[0]).toMatchObject({ a: "flaky+generate", b: "flaky+generate mockllm/high", of: "model and harness", lost: 0 });
    expect(compared.arms.map(({ tasks, passed, model }) => [tasks, passed, model])).toEqual([
      [16, 6, "mockllm/low"], // Inspect itself: accuracy 0.375,
      [16, 16, "mockllm/high"],
    ]);
    expect(compared.arms[0]?.tokens).toEqual({ in: 3840, out: 288, cached: 640 }); // two calls a sample
    expect(compared.notKnown.join()).toContain("the score is that of includes; the logs also have match");
  });

  it("reads an archive packed with deflate, and a JSON log whose failed sample has no score", async () => {
    const old = await readRuns(join(fixtures, "inspect/deflated"));
    expect([old.trials, old.unscored]).toEqual([16, 0]);
    const json = await readRuns(join(fixtures, "inspect/json/2026-11-22T09-15-16_sums.json"));
    const [arm] = Object.values(scores(json));
    expect(Object.keys(arm ?? {})).toEqual(["sums/sum-00", "sums/sum-01", "sums/sum-02", "sums/sum-03"]);
    expect(arm?.["sums/sum-03"]?.[1]).toBeNull();
    expect(json.unscored).toBe(1);
  });

  it("finds a JSON log under any name, and refuses a folder with results of two runners", async () => {
    cpSync(join(fixtures, "inspect/json/2026-11-22T09-15-16_sums.json"), join(root, "named/a.json"));
    put("named/notes.json", { version: 2, status: "of nothing" });
    const json = await readRuns(join(fixtures, "inspect/json"));
    expect(await readRuns(join(root, "named"))).toMatchObject({ format: "inspect", trials: json.trials });
    cpSync(join(fixtures, "inspect/low"), join(root, "both/logs"), { recursive: true });
    cpSync(join(fixtures, "harbor/harbor-0.24"), join(root, "both/jobs"), { recursive: true });
    await expect(readRuns(join(root, "both"))).rejects.toThrow(
      /both holds results of two runners: harbor in .*both\/jobs.* and inspect in .*both\/logs; name them separately, or choose with --format\.$/,
    );
    expect((await readRuns(join(root, "both"), "inspect")).trials).toBe(16);
  });

  it("says what is wrong with a file that is no archive, cut off, another's, or has scores that are no numbers", async () => {
    put("a.eval", "no zip");
    await expect(readRuns(join(root, "a.eval"))).rejects.toThrow(/a\.eval is cut off or no archive/);
    put("b.json", { results: [] });
    await expect(readRuns(join(root, "b.json"))).rejects.toThrow(/b\.json is no result of Inspect that is known: status/);
    const log = (value: string): string =>
      `{"status":"error","eval":{"task":"t","model":"m","scorers":[{"name":"s"}]},"samples":[{"id":1,"epoch":1,"scores":{"s":{"value":${value}}}}]}`;
    put("c.json", log('{"x":1}'));
    await expect(readRuns(join(root, "c.json"))).rejects.toThrow(/sample 1, epoch 1: the score is \{"x":1\}, which is no one number/);
    put("d.json", log("NaN"));
    expect(await readRuns(join(root, "d.json"))).toMatchObject({
      trials: 1,
      unscored: 1,
      shortcomings: [expect.stringContaining("its status is error"), expect.anything()],
    });
  });
});

describe("what lies in a place", () => {
  it("is told by what only one runner writes, and a job of Forge is none of them", async () => {
    put("forge/lock.json", { v: 1 });
    put("forge/config.json", {});
    put("forge/result.json", {});
    expect(await formatOf(join(root, "forge"))).toBeUndefined();
    expect(await formatOf(join(fixtures, "harbor"))).toBe("harbor");
    expect(await formatOf(join(fixtures, "inspect"))).toBe("inspect");
    expect(await formatOf(join(root, "tb"))).toBe("terminal-bench");
    await expect(readRuns(join(root, "nowhere"))).rejects.toThrow(/There is no file or folder .*nowhere; name the one/);
    await expect(readRuns(join(root, "forge"))).rejects.toThrow(/holds no known results: it is no job/);
    put("box/job/lock.json", { v: 1 });
    await expect(readRuns(join(root, "box"))).rejects.toThrow(/name its format with --format\. Jobs in it: .*box\/job\.$/);
  });
});
