import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { TrialRecord } from "../../../../evals/trial/trial-record.ts";
import type { RewardReading } from "../../../../evals/trial/verify/read-rewards.ts";
import { runVerifier } from "../../../../evals/trial/verify/run-verifier.ts";
import { plainEnvironment } from "../../../../harness/sandbox/local/local-provider.ts";
import { createInPlaceSandbox } from "../../../../harness/sandbox/in-place-sandbox.ts";
import { loadTask } from "../../../../tasks/formats/load-task.ts";
import { needs } from "../../../needs.ts";
import { harborTask, terminalBenchTask } from "../../../tasks/write-task.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

vi.setConfig({ testTimeout: 120_000 });
let top: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "forge-verifier-"));
});
afterEach(async () => {
  await rm(top, { recursive: true });
  await removeScratch();
});

/** What is read of a task's verifier in a folder of this machine, and what it printed. */
async function verified(task: string): Promise<{ reading: RewardReading; stdout: string }> {
  const [workdir, folder] = [join(top, "app"), join(top, "verifier")];
  await mkdir(workdir);
  const env = { ...plainEnvironment(), FORGE_TESTS: join(top, "tests"), FORGE_LOGS: join(top, "logs") };
  const sandbox = await createInPlaceSandbox(workdir, { kind: "local", env });
  try {
    const signal = new AbortController().signal;
    const reading = await runVerifier({ task: await loadTask(task), sandbox, fresh: false, folder, signal });
    return { reading, stdout: await readFile(join(folder, "stdout.txt"), "utf8") };
  } finally {
    await sandbox.close();
  }
}

describe("the tests of Terminal-Bench 1", () => {
  it("count in the order in which they printed their results, on standard output or on standard error", async () => {
    const heading = "echo '=========== short test summary info ==========='";
    const task = (lines: string) => terminalBenchTask(join(top, "task"), { "run-tests.sh": `${heading}\n${lines}\n` });
    const passed = await verified(await task("echo 'FAILED t.py::test_a' >&2; echo 'PASSED t.py::test_a'"));
    expect(passed.reading).toMatchObject({ type: "rewards", score: 1 });
    expect(passed.stdout).toContain("FAILED t.py::test_a\nPASSED t.py::test_a\n");
  });
});

describe("a reward that cannot be read", () => {
  it.each([
    ["a folder", "mkdir $R", "reward.txt is no file"],
    ["a pipe", "mkfifo $R", "reward.txt is no file"],
    ["too large", "truncate -s 10G $R", "reward.txt is larger than 65536 bytes"],
    ["not there", "true", "the verifier wrote neither reward.json nor reward.txt"],
  ])("is told by what it is: %s", async (_, script, why) => {
    const task = await harborTask(join(top, "task"), { "tests/test.sh": `#!/bin/bash\nR="$FORGE_LOGS/verifier/reward.txt"\n${script}\n` });
    expect((await verified(task)).reading).toEqual({ type: "unreadable", why });
  });

  it.skipIf(needs("docker"))("by a command is copied out, where what the tests started takes all processes that there may be", async () => {
    // A shell would wait for room for its next process.
    const fork = ["import subprocess", "try:", " while True: subprocess.Popen(['sleep', '300'])", "except OSError: pass"].join("\n");
    const forks = `mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; python3 -c "${fork}"`;
    const records: TrialRecord[] = [];
    const request = await fixtureRequest([await fixtureTask({ test: forks })], { sandbox: "docker", jobs: 1, bounds: { pids: 64 } });
    await bench(request, await benchPorts(), { onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)) });
    expect(records).toMatchObject([{ class: "passed", score: 1 }]);
  });
});
