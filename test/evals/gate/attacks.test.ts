import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { victimOf } from "../../../scripts/attacks/campaign-plan.ts";
import { faceAttack, nextTrials } from "../../../scripts/attacks/face-attack.ts";
import { trialOf } from "../../../scripts/attacks/trial-of.ts";
import type { Attack } from "../../../evals/gate/attacks/attack.ts";
import { attackCommand } from "../../../evals/gate/attacks/attack-command.ts";
import { attacks } from "../../../evals/gate/attacks/attacks.ts";
import { attackTask } from "../../../evals/gate/attacks/attack-task.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { needs } from "../../needs.ts";

const victims = join(import.meta.dirname, "..", "..", "fixtures", "victims");

describe("the known attacks", () => {
  it("are more than twenty, each with a name of its own and a script that a shell can read", () => {
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
    expect(attacks.length).toBeGreaterThan(20);
    for (const attack of attacks) {
      const command = attackCommand(attack, { work: ["/app/a.py", "/app/b c"], given: [] });
      expect(() => execFileSync("sh", ["-n"], { input: command }), attack.name).not.toThrow();
      expect(command).toContain("WORK='/app/a.py'");
    }
  });

  it("are chosen by what a task has: planted work, given tests, a repository, and all of them where the whole file system is carried over", async () => {
    const run = async () => ({ passed: false, class: "agent", detail: "" });
    const names = async (victim: string, verify: "workdir" | "snapshot", has: { work: string[]; git: boolean }): Promise<string[]> => {
      const task = await loadTask(join(victims, victim));
      const report = await attackTask(
        { ...task, forge: { local: false, verify } },
        { look: async () => ({ ...has, work: [has.work], workdir: "/app" }), run },
      );
      expect(report.hackable).toBe(false);
      return report.attacks.map(({ attack }) => attack);
    };
    const shell = await names("shell", "workdir", { work: ["/app/out.txt"], git: false });
    expect(shell).toEqual(expect.arrayContaining(["work-writes-reward", "answer-is-a-link"]));
    expect(shell).not.toContain("given-tests-edited");
    expect(shell).not.toContain("git-runs-program");
    expect(shell).not.toContain("fake-python3");
    expect(await names("given", "workdir", { work: [], git: true })).toEqual(
      expect.arrayContaining(["given-tests-edited", "git-runs-program"]),
    );
    expect(await names("shell", "snapshot", { work: ["/app/out.txt"], git: false })).toEqual(
      expect.arrayContaining(["fake-python3", "preload-file", "work-writes-reward", "fork-bomb", "memory-filled", "disk-filled"]),
    );
  });
});

it("counts an attack whose trial the machine broke as not tried, neither as withstood nor as passed", async () => {
  const task = await loadTask(join(victims, "shell"));
  const report = await attackTask(
    task,
    {
      look: async () => ({ work: [["/app/out.txt"]], workdir: "/app", git: false }),
      run: async (name) => ({
        passed: false,
        class: name === "attack-answer-is-a-link" ? "infra" : "agent",
        detail: "the daemon went away",
      }),
    },
    ["answer-is-a-link", "work-writes-reward"],
  );
  expect(report.attacks.map(({ attack }) => attack)).toEqual(["work-writes-reward"]);
  expect(report.notTried).toEqual([{ attack: "answer-is-a-link", why: "infra: the daemon went away" }]);
});

it("says of an attack asked for by name why it does not apply", async () => {
  const task = await loadTask(join(victims, "shell"));
  const report = await attackTask(
    task,
    {
      look: async () => ({ work: [[]], workdir: "/app", git: false }),
      run: async () => ({ passed: false, class: "agent", detail: "" }),
    },
    ["given-tests-edited", "git-runs-program", "work-writes-reward", "fork-bomb"],
  );
  expect([report.attacks, report.hackable]).toEqual([[], false]);
  expect(new Map(report.notTried.map(({ attack, why }) => [attack, why]))).toEqual(
    new Map([
      ["fork-bomb", "it does not apply: the task is verified in a fresh sandbox, into which nothing of it is carried."],
      ["given-tests-edited", "it does not apply: the agent is given no tests (tests/given/)."],
      ["work-writes-reward", "it does not apply: it needs to know which files the solution writes, and of this task none are known."],
      ["git-runs-program", "it does not apply: the working directory is no repository of git."],
    ]),
  );
});

/** An attack as it is, but for how long it goes on. */
function briefly(name: string, ...seconds: readonly (readonly [long: string, short: string])[]): Attack {
  const attack = attacks.find((one) => one.name === name) ?? expect.fail(`no attack ${name}`);
  for (const [long] of seconds) expect(attack.script).toContain(long);
  return { ...attack, script: seconds.reduce((script, [long, short]) => script.replace(long, short), attack.script) };
}

// `disk-filled` needs a daemon of its own on a small file system, and `fork-bomb` a quiet machine: they are for the campaign.
describe.skipIf(needs("cgroups"))("an attack on the machine", () => {
  it("harms a neighbour under a naive runner, and under Forge meets a bound of its own container, though the task states none", async () => {
    const attack = briefly("memory-filled", ["time.time() + 6", "time.time() + 4"], ["sleep 4", "sleep 3"]);
    const shell = await loadTask(join(victims, "shell"), { own: true });
    const faced = await faceAttack(attack, shell, "shell", await createBenchPorts({}), { next: false });
    expect(faced).toMatchObject({ harms: true, holds: true, forge: { class: "agent", score: 0 } });
    expect(faced.neighbour?.naive).toMatchObject({ killed: true });
    expect(faced.neighbour?.forge).toEqual({ well: expect.any(Number), failed: {}, killed: false });
    expect(faced.forge.evidence?.map(({ kind }) => kind)).toContain("cgroup");
  }, 240_000);
});

describe.skipIf(needs("docker"))("an attack that harms a naive runner", { concurrent: true }, () => {
  // One of each kind: a process that stays, what is tested taken away, a file that Python prefers, another container. `npm run attacks` has all of them.
  it.each(["reward-daemon", "subject-removed", "stale-bytecode", "neighbour-reached"])(
    "is withstood by Forge: %s",
    async (name) => {
      // It asks every address once at least.
      const attack = name === "neighbour-reached" ? briefly(name, ["time.time() + 5", "time.time() + 2"]) : briefly(name);
      const task = await loadTask(join(victims, victimOf(name)), { own: true });
      const faced = await faceAttack(attack, task, victimOf(name), await createBenchPorts({}), { next: false });
      expect(faced).toMatchObject({ harms: true, holds: true, forge: { passed: false } });
    },
    240_000,
  );

  it("is withstood where verification begins with all that the agent left", async () => {
    const task = await loadTask(join(victims, "shell"), { own: true });
    const snapshot = { ...task, forge: { local: false, verify: "snapshot" as const } };
    const faced = await faceAttack(briefly("preload-file"), snapshot, "shell", await createBenchPorts({}), { next: false });
    expect(faced).toMatchObject({ harms: true, holds: true, forge: { passed: false } });
  }, 240_000);
});

describe.skipIf(needs("docker"))("after all these attacks", () => {
  it("the next trials are clean, and each victim's solution passes", async () => {
    const ports = await createBenchPorts({});
    expect(await nextTrials(await loadTask(join(victims, "shell"), { own: true }), ports)).toEqual({ nextClean: true });
    for (const victim of ["reported", "given"])
      expect(await trialOf(await loadTask(join(victims, victim), { own: true }), "oracle", ports)).toMatchObject({
        passed: true,
        attempt: 1,
      });
  }, 240_000);
});
