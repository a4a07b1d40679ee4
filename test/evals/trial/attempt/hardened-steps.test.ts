import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import type { Agent } from "../../../../evals/bench-ports.ts";
import { combineSteps } from "../../../../evals/trial/classify/combine-steps.ts";
import { judged } from "../../../../evals/trial/verify/judgement.ts";
import { trialRecordSchema, type Mode, type TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { baseImage } from "../../../../harness/sandbox/docker/image/base-image.ts";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import type { SandboxKind } from "../../../../harness/sandbox/sandbox.ts";
import type { Task } from "../../../../tasks/task.ts";
import { needs, sampled } from "../../../needs.ts";
import { benchPorts, fixtureRequest, removeScratch } from "../../bench-fixture.ts";
import { letGo, untilLetGo, whileEnding } from "../../while-ending.ts";
import { reward, skipped, stepsTask, type StepFiles } from "../../steps-task.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 240_000 }); // several sandboxes a trial, on a machine that may be busy

interface Told {
  readonly steps: readonly { readonly name: string; readonly rewards: Record<string, number> | null; readonly why?: string }[];
}
async function run(
  task: Task,
  agent: Agent,
  sandbox: SandboxKind,
  mode: Mode = "hardened",
): Promise<{ record: TrialRecord; folder: string; told: Told }> {
  const result = await bench(await fixtureRequest([task], { agent, sandbox, mode }), await benchPorts(), { retryMs: 1 });
  const record = trialRecordSchema.parse(
    JSON.parse(await readFile(join(result.folder, "trials", task.name, "plain/1/result.json"), "utf8")),
  );
  const folder = join(result.folder, record.trace);
  const told = JSON.parse(await readFile(join(folder, "steps.json"), "utf8")) as Told; // as Forge writes it
  return { record, folder, told };
}

/** The second step sees what the first one's agent left, and nothing of its tests; the third is given a file and is set up by a script. */
const three = {
  one: { solve: "echo 1 > one; setsid sleep 4242 >/dev/null 2>&1 &", check: "[ -e one ] && [ ! -e two ]" },
  two: {
    solve: `[ ! -e /tests/test.sh ] && [ ! -e /logs/verifier/reward.txt ] && ! cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -q 'slee[p] 4242' && cat one > two`,
    check: `[ "$(cat two)" = 1 ]`,
  },
  three: {
    solve: "cat given set-up two > three",
    check: `[ "$(cat three | tr '\\n' ' ')" = "given set up 1 " ]`,
    brings: { given: "given\n", "setup.sh": "echo set up > set-up\n" },
  },
};

const first = { solve: "touch one", check: "[ -e one ]" };
const overwrites = {
  does: "having left a process that overwrites the tests as they come, does nothing",
  steps: {
    one: {
      ...first,
      solve: `${first.solve}; setsid sh -c 'until [ -e two-begins ]; do sleep 0.02; done; while :; do [ -e /tests/test.sh ] && printf "#!/bin/sh\\necho 1 > /logs/verifier/reward.txt\\n" > /tests/test.sh; done' >/dev/null 2>&1 &`,
    },
    two: { solve: "touch two-begins", check: "", test: `#!/bin/bash\nsleep 1\n${reward("[ -e two ]")}` },
  },
};
const others = [
  {
    does: "having made the set-up fail, has none",
    steps: {
      one: first,
      two: { solve: "true", check: "[ -e two ]", brings: { "setup.sh": "[ ! -e one ]\n" } },
    },
  },
  {
    does: "leaves what the tests fall over",
    steps: {
      one: first,
      two: { solve: "touch bomb", check: "", test: `#!/bin/bash\n[ -e bomb ] && exit 1\n${reward("[ -e two ]")}` },
    },
  },
];
const apart = 'artifacts = ["out"]\n[steps.verifier]\nenvironment_mode = "separate"';

/** How the steps end in official mode, in one kind of sandbox, and hardened. */
async function attacked(steps: Readonly<Record<string, StepFiles>>, kind: SandboxKind) {
  const task = await stepsTask(steps);
  const official = (await run(task, "oracle", "bubblewrap", "official")).record;
  const { record, told } = await run(task, "oracle", kind);
  return { official, record, steps: told.steps };
}
const givesNothing = {
  official: { passed: true },
  record: { class: "agent", rewards: { reward: 0.5 }, passed: false },
  steps: [{ name: "one", rewards: { reward: 1 } }, { name: "two" }],
};

for (const kind of ["bubblewrap", "docker"] as const)
  describe.skipIf(needs(kind) || needs("bubblewrap"))(`a task in steps, hardened, in ${kind}`, { concurrent: true }, () => {
    it("is passed by its solution, each step verified where its agent has no hand", async () => {
      const task = await stepsTask(three);
      const { record, folder, told } = await run(task, "oracle", kind);
      expect(record).toMatchObject({ class: "passed", mode: "hardened", sandbox: kind, rewards: { reward: 1 }, delta: { kept: true } });
      expect(told).toMatchObject({
        mode: "hardened",
        planned: 3,
        steps: ["one", "two", "three"].map((name) => ({ name, rewards: { reward: 1 }, delta: { kept: true, paths: ["/app"] } })),
      });
      for (const place of [".", "steps/two", "steps/three"]) {
        const names = await readdir(join(folder, place));
        expect(names).toEqual(expect.arrayContaining(["seal.json", "delta.json", "verifier"]));
        expect(names).not.toContain("delta");
      }
    });

    it(`gives nothing to an agent that ${overwrites.does} in the second step, and passes in official mode`, async () => {
      expect(await attacked(overwrites.steps, kind)).toMatchObject(givesNothing);
    });
  });

for (const kind of sampled<"bubblewrap" | "docker">(["bubblewrap", "docker"], ["bubblewrap"]))
  describe.skipIf(needs(kind))(`what a task in steps comes to, hardened, in ${kind}`, { concurrent: true }, () => {
    it("may have an environment of its own for one step's verifier, and tests that its agent was given come back", async () => {
      const task = await stepsTask({
        one: { solve: "echo 1 > out", check: `[ "$(cat out)" = 1 ] && [ ! -e left ]`, toml: apart },
        two: {
          solve: "echo changed > check",
          check: `[ "$(cat check)" = given ]`,
          brings: { check: "given\n" },
          given: { check: "given\n" },
        },
      });
      expect((await run(task, "oracle", kind)).record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
    });

    it("is not passed by doing nothing", async () => {
      const { record } = await run(await stepsTask(three), "nop", kind);
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 0 }, passed: false });
    });

    it.each(others)("gives nothing to an agent that $does in the second step, and passes in official mode", async ({ steps }) => {
      expect(await attacked(steps, kind)).toMatchObject(givesNothing);
    });

    it("ends at a step that misses what it must reach, and the steps that were not begun count", async () => {
      const steps = { one: { solve: "touch one", check: "[ -e one ]" }, two: { solve: "true", check: "[ -e two ]" } };
      const [one, two] = [steps.one, { ...steps.two, toml: "min_reward = 1.0" }];
      const three = { solve: "touch three", check: "[ -e three ]" };
      const { record, told } = await run(await stepsTask({ one, two, three }), "oracle", kind);
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 1 / 3 } });
      expect(told.steps.map(({ name }) => name)).toEqual(["one", "two"]);
      const final = await stepsTask(
        { one: { ...one, toml: "min_reward = {reward = 0.0, style = 0.5}" }, two: three },
        { top: 'multi_step_reward_strategy = "final"' },
      );
      expect((await run(final, "oracle", kind, "official")).record).toMatchObject({ passed: true });
      expect((await run(final, "oracle", kind)).record).toMatchObject({ class: "agent", score: 0 });
    });

    it("takes no step's reward whose tests were skipped: it meets no least reward, and the trial does not pass", async () => {
      const one = { solve: "touch one", check: "", test: skipped };
      const two = { solve: "touch two", check: "[ -e two ]" };
      const { record, told } = await run(await stepsTask({ one, two }), "oracle", kind);
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 0.5 }, passed: false });
      expect(record.error).toMatch(/^Step one: The reward is not taken: "a \(skipped\)" did not pass/);
      expect(told.steps).toMatchObject([
        { name: "one", rewards: { reward: 0 } },
        { name: "two", rewards: { reward: 1 } },
      ]);
      const least = await run(await stepsTask({ one: { ...one, toml: "min_reward = 1.0" }, two }), "oracle", kind);
      expect(least.record).toMatchObject({ class: "agent", score: 0 });
      expect(least.told.steps.map(({ name }) => name)).toEqual(["one"]);
    });

    it("has no score where a step's tests leave no reward of an untouched environment either, which has the steps' own files", async () => {
      const one = { solve: "touch one", check: "[ -e one ]" };
      const broken = await stepsTask({ one, two: { solve: "true", check: "", test: "#!/bin/bash\nexit 1\n" } });
      expect((await run(broken, "oracle", kind)).record).toMatchObject({ class: "verifier", rewards: null, score: null });
      const test = `#!/bin/bash\n[ -e given ] && [ -e set-up ] || exit 1\nmkdir -p /logs/verifier; echo 0 > /logs/verifier/reward.txt\n`;
      const two = { solve: "rm given", check: "", test, brings: { given: "", "setup.sh": "touch set-up\n" } };
      expect((await run(await stepsTask({ one, two }), "oracle", kind)).record).toMatchObject({ class: "agent", rewards: { reward: 0.5 } });
    });

    it("has no score where the first step cannot begin, in which nobody had a hand", async () => {
      const one = { solve: "true", check: "true", brings: { "setup.sh": "exit 3\n" } };
      expect((await run(await stepsTask({ one }), "oracle", kind)).record).toMatchObject({
        class: "verifier",
        score: null,
        error: "Step one: setup.sh of step one ended with 3 ()",
      });
    });
  });

describe("what steps come to in hardened mode", () => {
  it("is a pass only where every step was verified and none was worth less than it must be", () => {
    const outcome = fc.record({
      name: fc.constant("a"),
      rewards: fc.option(fc.record({ reward: fc.double({ min: 0, max: 1, noNaN: true }) })),
    });
    const run = fc.record({
      outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
      more: fc.nat(2),
      reward: fc.constantFrom("mean" as const, "final" as const),
    });
    const held = fc.check(
      fc.property(run, ({ outcomes, more, reward }) => {
        const last = { ...judged({ type: "unreadable", why: "none" }, undefined, 0), evidence: [] };
        const ending = combineSteps(outcomes, { reward, mode: "hardened", planned: outcomes.length + more }, last);
        const passed = "score" in ending && ending.score !== null && ending.score >= 1;
        const worth = outcomes.map(({ rewards }) => rewards?.reward ?? 0);
        const whole = more === 0 && (reward === "mean" ? worth.every((one) => one >= 1 - 1e-9) : (worth.at(-1) ?? 0) >= 1);
        return passed ? whole : !(more === 0 && worth.every((one) => one === 1));
      }),
    );
    expect(held).toMatchObject({ failed: false });
  });

  it("is 0 for a step without a readable reward after one that was failed, and no score after steps that were done", () => {
    const two = { name: "two", rewards: null, why: "no reward", unscored: true as const };
    const last = { ...judged({ type: "unreadable", why: "no reward" }, undefined, null), evidence: [] };
    const scoreAfter = (one: number, reward: "mean" | "final") => {
      const ending = combineSteps([{ name: "one", rewards: { reward: one } }, two], { reward, mode: "hardened", planned: 2 }, last);
      return "score" in ending ? ending.score : undefined;
    };
    for (const reward of ["mean", "final"] as const) expect([scoreAfter(0, reward), scoreAfter(1, reward)]).toEqual([0, null]);
  });

  it("is not tried where a step cannot be verified so", async () => {
    const one = { solve: "true", check: "true" };
    const tests = await stepsTask({ one }, { forge: 'tests = ["a"]' });
    await expect(run(tests, "oracle", "local")).rejects.toThrow(
      /by-steps\/task\.toml: metadata\.forge\.tests: the names would be looked for at every step; /,
    );
  });
});

describe.skipIf(needs("docker"))("a task in steps, hardened, in Docker", { concurrent: true }, () => {
  it("is tried again where somebody took the agent's container away while a step was verified, and its first steps count for nothing then", async () => {
    const docker = connect(connectionFromEnvironment());
    const name = `taken-${process.pid}`;
    const test = `#!/bin/bash\n${untilLetGo("tests")}\n${reward("[ -e one ]")}`;
    const task = await stepsTask({ one: { solve: "touch one", check: "", test }, two: { solve: "true", check: "[ -e one ]" } }, { name });
    const take = async (): Promise<void> => {
      const mine = await docker.listContainers({ filters: { label: [`forge.trial=${name}/plain/1/1`] } });
      const oldest = mine.toSorted((a, b) => a.Created - b.Created)[0];
      if (oldest) await docker.getContainer(oldest.Id).remove({ force: true });
    };
    const retries: string[] = [];
    const onEvent = (event: BenchEvent): void => {
      if (event.type === "trial.retry") retries.push(`${event.class}: ${event.error}`);
    };
    const request = await fixtureRequest([task], { sandbox: "docker", mode: "hardened" });
    const ports = await benchPorts();
    const { measured: result, ended } = await whileEnding(name, () => bench(request, ports, { retryMs: 1, onEvent }), {
      when: (attempt) => (attempt === 1 ? "tests" : undefined),
      end: (verifier) => take().then(() => letGo(verifier)),
    });
    expect(ended).toEqual([1]);
    expect(retries).toEqual([expect.stringMatching(/^infra: The container was ended from outside/)]);
    expect(result.configurations).toMatchObject([{ passed: 1 }]);
  });

  it("goes on beside its services, which each verification has anew", async () => {
    const compose = `services:
  main: {}
  store:
    image: ${baseImage}
    command: sh -c 'mkdir -p /s && cd /s && exec python3 -m http.server 8000'
`;
    const ask = `python3 -c "import urllib.request as u; u.urlopen('http://store:8000').read()"`;
    const slowly = `until ${ask}; do sleep 0.3; done`;
    const one = { solve: `${slowly} && touch one`, check: `[ -e one ] && { ${slowly}; }` };
    const two = { solve: `${slowly} && touch two`, check: `[ -e two ] && { ${slowly}; }` };
    const task = await stepsTask({ one, two }, { name: "beside", files: { "environment/docker-compose.yaml": compose } });
    expect((await run(task, "oracle", "docker")).record).toMatchObject({ class: "passed" });
  });

  it("is verified as a snapshot after each step where it asks for that, and starts again after it with entry point and health check", async () => {
    const entry = `RUN printf '#!/bin/sh\\necho up >> /starts; touch /dev/shm/up; exec "$@"' > /entry && chmod +x /entry\nENTRYPOINT ["/entry"]\n`;
    // Its memory is new at each start, where a file of the image's would be there from the last one.
    const top = `[environment.healthcheck]\ncommand = "test -e /dev/shm/up"\ninterval_sec = 0.1\n`;
    // What the agent installed is there, and the image's programs are.
    const own = "grep -c up /starts > starts; mkdir -p /opt/x && echo done >> /opt/x/out; printf '#!/bin/sh\\necho 9\\n' > /usr/bin/wc";
    const step = (nth: number) => ({ solve: own, check: `[ "$(wc -l < /opt/x/out)" = ${nth} ] && [ "$(cat starts)" = ${nth} ]` });
    const task = await stepsTask({ one: step(1), two: step(2) }, { top, dockerfile: entry, forge: 'verify = "snapshot"' });
    const { record, told } = await run(task, "oracle", "docker");
    expect(told.steps).toMatchObject([{ rewards: { reward: 1 } }, { rewards: { reward: 1 } }]);
    expect(record).toMatchObject({ class: "passed" });
  });
});
