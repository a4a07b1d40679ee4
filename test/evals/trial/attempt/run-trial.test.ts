import { loadTrace } from "../../../../traces/read/load-trace.ts";
import { replayTrace } from "../../../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../../../traces/replay/verify/verify-trace.ts";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { bench } from "../../../../evals/bench/bench.ts";
import type { Agent, BenchPorts } from "../../../../evals/bench-ports.ts";
import { trialRecordSchema, type TrialRecord } from "../../../../evals/trial/trial-record.ts";
import type { Task } from "../../../../tasks/task.ts";
import type { Sandbox, SandboxKind } from "../../../../harness/sandbox/sandbox.ts";
import { withSandboxes } from "../../../../scripts/bench/with-sandboxes.ts";
import { needs, sampled } from "../../../needs.ts";
import { agentSeconds, endByTest } from "../../agent-time.ts";
import { benchPorts, checkOut, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

const lineSchema = z.looseObject({ t: z.string(), d: z.record(z.string(), z.json()) });
interface Tried {
  readonly record: TrialRecord;
  /** The attempt's folder. */
  readonly folder: string;
}

async function trial(task: Task, agent: Agent, sandbox: SandboxKind, ports?: BenchPorts): Promise<Tried> {
  const request = await fixtureRequest([task], { agent, sandbox });
  const result = await bench(request, ports ?? (await benchPorts()), { retryMs: 1 });
  const place = join(result.folder, "trials", task.name, "plain", "1");
  const record = trialRecordSchema.parse(JSON.parse(await readFile(join(place, "result.json"), "utf8")));
  return { record, folder: join(result.folder, record.trace) };
}

const kinds: SandboxKind[] = ["local", "bubblewrap", "docker"];
/** In Docker, an early reward is held by `npm run attacks`, and what is carried by image-places.test.ts. */
const here = sampled<SandboxKind>(kinds, ["local", "bubblewrap"]);

for (const kind of kinds)
  describe.skipIf(kind !== "local" && needs(kind))(`a trial in ${kind}`, { concurrent: kind === "docker" }, () => {
    it("is passed by the oracle, with the workspace and the verdict at the end of its trace", async () => {
      const task = await fixtureTask();
      const oracle = await trial(task, "oracle", kind);
      expect(oracle.record).toMatchObject({
        class: "passed",
        rewards: { reward: 1 },
        score: 1,
        passed: true,
        mode: "hardened",
        sandbox: kind,
      });
      expect((await readdir(oracle.folder)).toSorted()).toEqual(
        expect.arrayContaining(["record.json", "seal.json", "trace.jsonl", "verifier"]),
      );
      const lines = (await readFile(join(oracle.folder, "trace.jsonl"), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => lineSchema.parse(JSON.parse(line)));
      expect(lines.slice(-3).map(({ t }) => t)).toEqual(["run.end", "fs.snapshot", "verifier.result"]);
      expect(lines.at(-2)?.d).toMatchObject({ tree: oracle.record.workspaceHash, changed: ["out.txt"], removed: [] });
      expect(lines.at(-1)?.d).toMatchObject({ rewards: { reward: 1 }, passed: true });
    });

    it("carries what was changed, deleted and linked when the agent's time is over into verification, and no link that leaves", async () => {
      const test = `
cd "\${FORGE_WORKDIR:-/app}"; logs="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"; reward=1
[ "$(cat changed.txt)" = 2 ] || reward=-1
[ ! -e gone.txt ] || reward=-2
[ -x new/run.sh ] || reward=-3
[ "$(readlink new/near)" = ../changed.txt ] || reward=-4
[ ! -L leaves ] || reward=-5
[ -d old ] && reward=-6
[ -f old ] || reward=-7
[ "$(cat "it's odd")" = quoted ] || reward=-8
echo $reward > "$logs/reward.txt"`;
      const solve = `echo 2 > changed.txt; rm gone.txt; mkdir new; touch new/run.sh; chmod +x new/run.sh; ln -s ../changed.txt new/near
         ln -s /etc/passwd leaves; rm -r old; touch old; echo quoted > "it's odd"; touch did; sleep 1000`;
      const task = await fixtureTask({ agentSeconds, test, solve, files: { "changed.txt": "1", "gone.txt": "", "old/deep/file": "" } });
      const { ports, over } = endByTest(await benchPorts());
      const made: Sandbox[] = [];
      const trying = trial(
        task,
        "oracle",
        kind,
        withSandboxes(ports, (sandbox) => (made.push(sandbox), sandbox)),
      );
      const did = async (): Promise<number | null | undefined> => (await made[0]?.exec("test -e did"))?.exitCode;
      await expect.poll(did, { interval: 200 }).toBe(0);
      over();
      const { record, folder } = await trying;
      expect(record).toMatchObject({ class: "passed", rewards: { reward: 1 }, outcome: { type: "limit", limit: "deadline" } });
      // a published harness lost the trace of exactly these trials
      expect(await verifyTrace(folder)).toMatchObject({ sealed: true, torn: null });
      expect(await replayTrace(await loadTrace(folder), { assemble: async () => [] })).toMatchObject({ exact: true, cutOff: false });
      const delta = JSON.parse(await readFile(join(folder, "delta.json"), "utf8"));
      expect(delta.paths).toMatchObject([
        { path: "/app", removed: ["gone.txt", "old"], refused: [expect.stringContaining("leaves")], links: [{ path: "new/near" }] },
      ]);
      expect(record.delta).toMatchObject({ kept: true, paths: ["/app"], files: 5 });
      expect(await readdir(folder)).not.toContain("delta");
    });

    it("in official mode runs the verifier where the agent worked, with its processes alive", async () => {
      const test = `
logs="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"
[ -e "\${TMPDIR:-/tmp}/trace-of-agent" ] && kill -0 "$(cat "\${FORGE_WORKDIR:-/app}/pid")" && echo '{"reward": 1, "alive": 1}' > "$logs/reward.json"
exit 7`;
      const solve = 'touch "${TMPDIR:-/tmp}/trace-of-agent"; (sleep 60 >/dev/null 2>&1 & echo $! > pid)';
      const task: Task = await fixtureTask({ test, solve, hardened: false });
      const official: Task = { ...task, forge: { local: true, verify: "workdir" } };
      const request = await fixtureRequest([official], { sandbox: kind, mode: "official" });
      const result = await bench(request, await benchPorts());
      expect(result).toMatchObject({ modes: ["official"], configurations: [{ passed: 1 }] });
    });

    if (!here.includes(kind)) return;

    it("is not passed by an agent that does nothing", async () => {
      expect((await trial(await fixtureTask(), "nop", kind)).record).toMatchObject({
        class: "agent",
        rewards: { reward: 0 },
        passed: false,
      });
    });

    it("gives nothing to an agent that plants tests, a reward, or a process that writes one later", async () => {
      const test = `
logs="\${FORGE_LOGS:-/logs}/verifier"; sleep 1; [ -e "$logs/reward.json" ] && exit 0
[ -e "\${FORGE_TESTS:-/tests}/planted" ] && echo 1 > "$logs/reward.txt" || echo 0 > "$logs/reward.txt"`;
      const solve = `tests="\${FORGE_TESTS:-/tests}"; logs="\${FORGE_LOGS:-/logs}/verifier"
         mkdir -p "$tests" "$logs"; touch "$tests/planted"; echo 'echo 1 > /logs/verifier/reward.txt' > "$tests/test.sh"; chmod +x "$tests/test.sh"
         echo '{"reward": 1}' > "$logs/reward.json"; echo 1 > "$logs/reward.txt"
         setsid sh -c "while :; do echo '{\\"reward\\": 1}' > '$logs/reward.json'; sleep 0.1; done" >/dev/null 2>&1 &`;
      const { record } = await trial(await fixtureTask({ test, solve }), "oracle", kind);
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 0 }, passed: false });
    });

    it("takes a reward of a declared file, and of nothing else", async () => {
      const test = `
cd "\${FORGE_WORKDIR:-/app}"; logs="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"
[ "$(cat out.txt)" = done ] && [ "$(cat in.txt)" = in ] && echo 1 > "$logs/reward.txt" || echo 0 > "$logs/reward.txt"`;
      const task = await fixtureTask({ test, solve: "echo done > out.txt; echo changed > in.txt", forge: 'paths = ["/app/out.txt"]' });
      const { record } = await trial(task, "oracle", kind);
      expect(record.rewards).toEqual({ reward: 1 });
    });
  });

describe("a reward that cannot be read", () => {
  const unreadable = [
    ["a string", `echo '{"reward": "1"}' > "$logs/reward.json"`],
    ["NaN", `echo '{"reward": NaN}' > "$logs/reward.json"`],
    ["a huge file", `truncate -s 100M "$logs/reward.json"`],
    ["a folder", `mkdir "$logs/reward.json"`],
    ["a pipe", `mkfifo "$logs/reward.json"`],
    ["nothing", `:`],
  ] as const;
  // How each is read: read-rewards.test.ts and run-verifier.test.ts.
  it.each(sampled(unreadable, [unreadable[0], unreadable[5]]))(
    "(%s) has no score in hardened mode where an untouched environment gets none either",
    async (_, write) => {
      const task = await fixtureTask({ test: `logs="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"; ${write}` });
      expect((await trial(task, "oracle", "local")).record).toMatchObject({ class: "verifier", rewards: null, score: null, passed: null });
    },
  );

  it("counts 0 in hardened mode where an untouched environment gets a readable one: the agent broke it", async () => {
    const test = `[ -e "\${FORGE_WORKDIR:-/app}/bomb" ] && exit 1; ${checkOut}`;
    const { record } = await trial(await fixtureTask({ test, solve: "touch bomb; echo done > out.txt" }), "oracle", "local");
    expect(record).toMatchObject({ class: "verifier", rewards: null, score: 0, passed: false, error: expect.stringContaining("neither") });
  });

  it("counts 0 in official mode", async () => {
    const task = await fixtureTask({ test: "exit 0" });
    const request = await fixtureRequest([task], { mode: "official" });
    expect(await bench(request, await benchPorts())).toMatchObject({ unscored: 0, configurations: [{ passed: 0, failed: 1 }] });
  });

  it("because the verifier takes too long is one, and little is kept of what it printed for all that time", async () => {
    const task = await fixtureTask({ test: "yes 'a line that says nothing' & yes more >&2", verifierSeconds: 0.3 });
    const { record, folder } = await trial(task, "oracle", "local");
    expect(record).toMatchObject({ class: "verifier", passed: null, error: expect.stringContaining("longer than 300 ms") });
    for (const name of ["stdout.txt", "stderr.txt"])
      expect((await stat(join(folder, "verifier", name))).size).toBeLessThanOrEqual(1024 ** 2);
  });
});

describe.skipIf(needs("docker"))("an agent that breaks its own container", { concurrent: true }, () => {
  it("has failed, without another attempt", async () => {
    const { record } = await trial(await fixtureTask({ solve: "rm -rf --no-preserve-root / 2>/dev/null; kill -9 -1" }), "oracle", "docker");
    expect(record).toMatchObject({ passed: false, attempt: 1 });
    expect(["agent", "verifier"]).toContain(record.class);
  });
});
