import Docker from "dockerode";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { withSandboxes } from "../../../scripts/bench/with-sandboxes.ts";
import { needs } from "../../needs.ts";
import { asContainers } from "../as-containers.ts";
import { benchPorts, checkOut, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";

vi.setConfig({ testTimeout: 120_000 });
afterAll(removeScratch);

/** Ports of a bench in Docker without its containers, where what a slot does is the matter. */
const copies = async (): Promise<BenchPorts> => asContainers(await benchPorts(), () => undefined);

/** Ports that report when each sandbox is made and when it has gone, with the label of its trial. */
function watched(ports: BenchPorts, said: (what: "made" | "gone", trial: string) => void): BenchPorts {
  return withSandboxes(ports, (sandbox, trial) => {
    said("made", trial);
    const { close } = sandbox;
    let gone: Promise<void> | undefined;
    return Object.assign(sandbox, { close: () => (gone ??= close.call(sandbox).finally(() => said("gone", trial))) });
  });
}

const left = async (job: string): Promise<number> =>
  (await new Docker().listContainers({ all: true, filters: { label: [`forge.job=${job}`] } })).length;

describe("a slot", () => {
  it("has the next trial's sandbox before that trial begins, never more than its bound of them, and none at the job's end", async () => {
    let [now, most] = [0, 0];
    const order: string[] = [];
    const ports = watched(await copies(), (what) => {
      now += what === "made" ? 1 : -1;
      most = Math.max(most, now);
      order.push(what);
    });
    const request = await fixtureRequest([await fixtureTask({ name: "one" })], { sandbox: "docker", repeats: 3, jobs: 1 });
    const result = await bench(request, ports, { onEvent: ({ type }) => void (type === "trial.start" && order.push("start")) });
    expect(result).toMatchObject({ status: "finished", recorded: 3 });
    expect(result.configurations[0]).toMatchObject({ passed: 3 });
    // One for the agent and one for the verifier of each trial.
    expect(order.filter((what) => what === "made").length).toBeGreaterThanOrEqual(6);
    const madeBefore = order.slice(0, order.lastIndexOf("start")).filter((what) => what === "made").length;
    expect(madeBefore).toBe(order.filter((what) => what === "made").length - 1);
    expect(now).toBe(0);
    expect(most).toBeLessThanOrEqual(5);
  });

  it("takes a trial whose sandbox was made for another slot, which is still at a verification", async () => {
    const made: Record<string, Sandbox[]> = { long: [], short: [], next: [] };
    const free = new Set<string>();
    const go = (sandbox: Sandbox): void => void sandbox.exec("touch go").catch(() => undefined);
    const letGo = (task: string): void => {
      free.add(task);
      made[task]?.forEach(go);
    };
    const ports = withSandboxes(await copies(), (sandbox, trial) => {
      const [task = ""] = trial.split("/");
      made[task]?.push(sandbox);
      if (free.has(task)) go(sandbox);
      if (made["next"]?.length) letGo("short");
      return sandbox;
    });
    // Its verifier waits until the last trial has ended; the second one's agent until the last one's sandbox is there.
    const waits = "until [ -e go ]; do sleep 0.1; done";
    const tasks = [
      await fixtureTask({ name: "long", solve: "echo done > out.txt\n", test: `cd "\${FORGE_WORKDIR:-/app}"; ${waits}; ${checkOut}` }),
      await fixtureTask({ name: "short", solve: `${waits}; echo done > out.txt\n` }),
      await fixtureTask({ name: "next" }),
    ];
    const order: string[] = [];
    const request = await fixtureRequest(tasks, { sandbox: "docker", jobs: 2 });
    const result = await bench(request, ports, {
      onEvent(event) {
        if (event.type !== "trial.end") return;
        order.push(event.trial.task);
        if (event.trial.task === "next") letGo("long");
      },
    });
    expect(order).toEqual(["short", "next", "long"]);
    expect(result.configurations[0]).toMatchObject({ passed: 3 });
  });

  it("begins no sandbox ahead where the machine has no room for two of the task's", async () => {
    let [now, most] = [0, 0];
    const ports = watched(await copies(), (what) => {
      now += what === "made" ? 1 : -1;
      most = Math.max(most, now);
    });
    const task = await fixtureTask({ name: "large" });
    const large = { ...task, environment: { ...task.environment, memoryMb: 900_000 } };
    const request = await fixtureRequest([large], { sandbox: "docker", repeats: 2, jobs: 1 });
    const result = await bench(request, ports);
    expect(result).toMatchObject({ recorded: 2 });
    expect(most).toBeLessThanOrEqual(2);
  });

  it.skipIf(needs("docker"))(
    "drops what was made for a trial that a stop kept from beginning, and that trial runs when the job goes on",
    async () => {
      const stop = new AbortController();
      const request = await fixtureRequest([await fixtureTask({ name: "two", solve: "sleep 1; echo done > out.txt\n" })], {
        sandbox: "docker",
        repeats: 2,
        jobs: 1,
      });
      const heard: Record<"made" | "gone", string[]> = { made: [], gone: [] };
      const ports = watched(await benchPorts(), (what, trial) => heard[what].push(trial));
      const stopped = await bench(request, ports, {
        stop: stop.signal,
        onEvent: ({ type }) => void (type === "trial.end" && stop.abort()),
      });
      expect(stopped).toMatchObject({ status: "stopped", recorded: 1 });
      expect(heard.made).toContain("two/plain/2/1");
      expect(heard.gone.toSorted()).toEqual(heard.made.toSorted());
      expect(await left(stopped.job)).toBe(0);
      const resumed = await bench(request, ports);
      expect(resumed).toMatchObject({ status: "finished", recorded: 2 });
      expect(await left(resumed.job)).toBe(0);
    },
  );
});
