import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchPorts } from "../../../../evals/bench-ports.ts";
import { regradeJob } from "../../../../evals/regrade/regrade-job.ts";
import { collectArtifacts } from "../../../../evals/trial/keep/collect-artifacts.ts";
import { trialRecordSchema, type Mode, type TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { InfraError } from "../../../../harness/errors.ts";
import { baseImage } from "../../../../harness/sandbox/docker/image/base-image.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { loadTask } from "../../../../tasks/formats/load-task.ts";
import type { Task } from "../../../../tasks/task.ts";
import { writeFiles } from "../../../tasks/write-task.ts";
import { benchPorts, fixtureRequest, removeScratch, scratch } from "../../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

const logs = '#!/bin/bash\nlogs="${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"\n';
const passesWith = (check: string): string => `${logs}if ${check}; then echo 1; else echo 0; fi > "$logs/reward.txt"\n`;

/** A trial of a task whose verifier has an environment of its own, all on this machine. `change`: makes each sandbox, counted from 1, another. */
async function run(
  files: Readonly<Record<string, string>>,
  o: { change?: (sandbox: Sandbox, count: number) => Sandbox; mode?: Mode } = {},
): Promise<{ record: TrialRecord; task: Task; job: string; retries: number }> {
  const root = await writeFiles(join(await scratch(), "apart"), {
    "instruction.md": "Do it.\n",
    "environment/Dockerfile": `FROM ${baseImage}\nWORKDIR /app\n`,
    ...files,
  });
  const ports = await benchPorts();
  let made = 0;
  const provider: BenchPorts["provider"] = (kind) => {
    const real = ports.provider(kind);
    const prepare: typeof real.prepare = async (...of) => {
      const prepared = await real.prepare(...of);
      const create: typeof prepared.create = async (options) => {
        const sandbox = await prepared.create(options);
        return o.change?.(sandbox, (made += 1)) ?? sandbox;
      };
      return { ...prepared, create };
    };
    return { ...real, prepare };
  };
  let retries = 0;
  const task = await loadTask(root, { own: true });
  const request = await fixtureRequest([task], { jobs: 1, ...(o.mode ? { mode: o.mode } : {}) });
  const result = await bench(
    request,
    { ...ports, provider },
    { retryMs: 1, onEvent: ({ type }) => void (type === "trial.retry" && (retries += 1)) },
  );
  const place = join(result.folder, "trials", "apart", "plain", "1");
  const record = trialRecordSchema.parse(JSON.parse(await readFile(join(place, "result.json"), "utf8")));
  return { record, task, job: result.folder, retries };
}

const task = {
  "task.toml": 'artifacts = ["out"]\n[verifier]\nenvironment_mode = "separate"\n[metadata.forge]\nlocal = true\n',
  "solution/solve.sh": "mkdir out; echo done > out/a\n",
  "tests/test.sh": passesWith('[ "$(cat "$FORGE_WORKDIR/out/a")" = done ]'),
};

describe("an artifact for a verifier with an environment of its own", () => {
  it("may be named relative to the working directory", async () => {
    expect(await run(task)).toMatchObject({ record: { class: "passed" }, retries: 0 });
  });

  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const silent = { status: "timeout" as const, exitCode: null, stdout: new Uint8Array(), stderr: new Uint8Array(), dropped: 0 };
  const killed = { at: 1, type: "kill" as const, signal: 9, ours: false };
  const gone = { state: "running" as const, events: [killed], daemonLost: [], storageExceeded: [], usage: {} };
  it.each<[string, (sandbox: Sandbox) => Partial<Sandbox>]>([
    ["a disk of this machine that is full", () => ({ download: () => Promise.reject(full) })],
    ["a daemon that fails", () => ({ download: () => Promise.reject(new InfraError("The daemon went away.")) })],
    [
      "a question that gets no answer in time",
      ({ exec }) => ({ exec: async (command, options) => (command.includes("echo nothing") ? silent : exec(command, options)) }),
    ],
    [
      "somebody who took the container away meanwhile",
      ({ exec, download }) => {
        let asked = false;
        return {
          exec,
          download: async (...of) => download(...of).finally(() => (asked = true)),
          evidence: async () => (asked ? gone : { ...gone, events: [] }),
        };
      },
    ],
  ])("that is lacking because of %s is no failure of the agent's: the trial is tried again", async (_, fault) => {
    const change = (sandbox: Sandbox, count: number): Sandbox => (count === 1 ? { ...sandbox, ...fault(sandbox) } : sandbox);
    expect(await run(task, { change })).toMatchObject({ record: { class: "passed", attempt: 2 }, retries: 1 });
  });
});

describe("all artifacts of an attempt together", () => {
  it.each([
    ["bytes", "head -c 700 /dev/zero > $d/big", { bytes: 1000, entries: 100 }],
    ["entries", "touch $d/1 $d/2 $d/3", { bytes: 1000, entries: 6 }],
  ])("may have so many %s, and one that goes beyond them is refused", async (_, fill, bounds) => {
    const provider = (await benchPorts()).provider("local");
    const root = await writeFiles(join(await scratch(), "environment"), { Dockerfile: `FROM ${baseImage}\nWORKDIR /app\n` });
    const sandbox = await (await provider.prepare({ name: "bounds", folder: root })).create();
    try {
      await sandbox.exec(`for d in a b; do mkdir $d; ${fill}; done; echo > c`);
      const declared = ["a", "b", "c"].map((source) => ({ source, exclude: [] }));
      const collected = await collectArtifacts(sandbox, declared, await scratch(), bounds);
      expect(collected.map(({ source, status }) => [source, status])).toEqual([
        ["a", "ok"],
        ["b", "refused"],
        ["c", "ok"],
      ]);
    } finally {
      await sandbox.close();
    }
  });
});

describe("a reward that cannot be read, of a verifier with an environment of its own", () => {
  const counting = async (test: string): Promise<Record<string, string>> => {
    const count = join(await scratch(), "count");
    return { ...task, "tests/test.sh": `${logs}echo >> ${count}; n=$(wc -l < ${count}); cd "$FORGE_WORKDIR"\n${test}\n` };
  };
  const reward = (score: 0 | 1): string => `echo ${score} > "$logs/reward.txt"`;

  it("is looked for a second time in hardened mode, in a fresh sandbox", async () => {
    const files = await counting(`[ $n = 1 ] || { [ -e out/a ] && ${reward(1)}; }`);
    expect(await run(files, { mode: "hardened" })).toMatchObject({ record: { class: "passed", score: 1 }, retries: 0 });
    expect((await run(await counting(`[ $n = 1 ] || ${reward(1)}`), { mode: "official" })).record).toMatchObject({
      class: "verifier",
      score: 0,
    });
  });

  it("is the agent's failure in hardened mode where an untouched environment gets one, and else nobody's", async () => {
    const agents = await run(await counting(`[ -e out/a ] || ${reward(0)}`), { mode: "hardened" });
    expect(agents.record).toMatchObject({ class: "verifier", score: 0, passed: false });
    const never = await counting("true");
    const nobodys = await run(never, { mode: "hardened" });
    expect(nobodys.record).toMatchObject({ class: "verifier", score: null, passed: null });
    expect((await run(never, { mode: "official" })).record).toMatchObject({ class: "verifier", score: 0 });
  });

  it("is held to the same when a trial is graded again", async () => {
    const { job, task: before } = await run(await counting(reward(1)), { mode: "hardened" });
    const again = async (test: string) => {
      await writeFiles(before.folder, await counting(test));
      const asked = { job, tasks: [await loadTask(before.folder, { own: true })] };
      return (await regradeJob(asked, await benchPorts(), { signal: new AbortController().signal })).trials[0]?.after;
    };
    expect(await again(`[ $n = 1 ] || ${reward(1)}`)).toMatchObject({ score: 1 });
    expect(await again(`[ -e out/a ] || ${reward(0)}`)).toMatchObject({ score: 0 });
    expect(await again("true")).toMatchObject({ score: null });
  });
});

describe("of a task in steps", () => {
  it("one may have an environment for its verifier, and the one before it none", async () => {
    const step = (name: string, check: string): Record<string, string> => ({
      [`steps/${name}/instruction.md`]: "Do it.\n",
      [`steps/${name}/solution/solve.sh`]: `echo ${name} > ${name}\n`,
      [`steps/${name}/tests/test.sh`]: passesWith(`cd "$FORGE_WORKDIR" && ${check}`),
    });
    const files = {
      "task.toml":
        '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\nartifacts = ["two"]\n[steps.verifier]\nenvironment_mode = "separate"\n[metadata.forge]\nlocal = true\n',
      ...step("one", "[ -e one ]"),
      ...step("two", "[ -e two ] && [ ! -e one ]"),
    };
    const { record, job, retries } = await run(files, { mode: "official" });
    expect([record.class, retries]).toEqual(["passed", 0]);
    expect(record.delta).toMatchObject({ kept: true, artifacts: expect.any(String) as unknown });
    expect(await readdir(join(job, record.trace, "steps/two/artifacts"))).toEqual(["manifest.json"]);
  });
});
