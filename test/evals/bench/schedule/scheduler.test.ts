import { afterAll, describe, expect, it } from "vitest";
import fc from "fast-check";
import { systemClock } from "../../../../harness/system-ports.ts";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import { createBudget, type Budget } from "../../../../evals/bench/schedule/budget.ts";
import { createAdmission, type Admission, type HostState } from "../../../../evals/bench/schedule/admission.ts";
import { createScheduler } from "../../../../evals/bench/schedule/scheduler.ts";
import { createStops } from "../../../../evals/bench/schedule/stops.ts";
import type { TrialPlan } from "../../../../evals/trial/trial-plan.ts";
import type { Clock } from "../../../../harness/contract/ports.ts";
import { createSemaphore } from "../../../../harness/semaphore.ts";
import type { Task } from "../../../../tasks/task.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);

const gib = 1024 ** 3;
const roomy: HostState = { cpus: 8, memoryBytes: 32 * gib, freeMemoryBytes: 32 * gib };
const taskOf = (name: string, needs: { cpus?: number; memoryMb?: number } = {}): Task =>
  ({ name, environment: { name, network: false, env: {}, ...needs }, verifier: {} }) as unknown as Task; // what a scheduler reads of a task
const planOf = (task: Task, repeat = 1): TrialPlan => ({ task, configuration: "a", repeat }) as unknown as TrialPlan; // the same

function scheduler(
  plans: TrialPlan[],
  o: {
    ready?: (task: string) => boolean;
    host?: () => HostState;
    patienceMs?: number;
    wants?: (plan: TrialPlan) => boolean;
    onReady?: (hear: () => void) => () => void;
    clock?: Clock;
    admission?: Admission;
    budget?: Budget;
  } = {},
) {
  const events: BenchEvent[] = [];
  const stops = createStops({});
  const made = createScheduler(plans, {
    budget: o.budget ?? createBudget(undefined, [], new Map()),
    stops,
    clock: o.clock ?? systemClock,
    ready: o.ready ?? (() => true),
    ...(o.onReady ? { onReady: o.onReady } : {}),
    ...(o.wants ? { wants: o.wants } : {}),
    host: async () => o.host?.() ?? roomy,
    admission: o.admission ?? createAdmission(),
    onEvent: (event) => events.push(event),
    patienceMs: o.patienceMs ?? 0,
  });
  const soon = async (): Promise<TrialPlan | undefined> => {
    let taken: TrialPlan | undefined;
    await made.soon((plan) => (taken = plan));
    return taken;
  };
  return { ...made, soon, events, stops };
}
const nameOf = async (next: Promise<TrialPlan | undefined>): Promise<string | undefined> => (await next)?.task.name;

describe("the scheduler", () => {
  it("keeps the plan's order, and takes a task whose image is there while the first one's is still being built", async () => {
    const built = new Set(["b"]);
    const { next } = scheduler(
      ["a", "b", "b", "c"].map((name) => planOf(taskOf(name))),
      { ready: (task) => built.has(task) },
    );
    expect(await nameOf(next())).toBe("b");
    built.add("a");
    expect(await nameOf(next())).toBe("a");
    expect(await nameOf(next())).toBe("b");
    const waiting = nameOf(next());
    built.add("c");
    expect(await waiting).toBe("c");
    expect(await nameOf(next())).toBeUndefined();
  });

  it("waits a moment for the first task's image before it changes the order", async () => {
    const built = new Set(["b"]);
    const { next } = scheduler([planOf(taskOf("a")), planOf(taskOf("b"))], { ready: (task) => built.has(task), patienceMs: 5_000 });
    const first = nameOf(next());
    built.add("a");
    expect(await first).toBe("a");
  });

  it("takes a trial when its image is there, and does not wait for the next look", async () => {
    const hearers = new Set<() => void>();
    const onReady = (hear: () => void): (() => void) => {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    };
    // Its looks never come.
    const sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("woken"))));
    let ready = false;
    const { next } = scheduler([planOf(taskOf("a"))], { ready: () => ready, onReady, clock: { ...systemClock, sleep } });
    const first = nameOf(next());
    await expect.poll(() => hearers.size).toBe(1);
    ready = true;
    for (const hear of hearers) hear();
    expect(await first).toBe("a");
    expect(hearers.size).toBe(0);
  });

  it("answers at once when asked for what may start soon: a trial, or that none may", async () => {
    const large = taskOf("large", { memoryMb: 20 * 1024 });
    const { next, soon, done } = scheduler([planOf(large), planOf(large, 2)]);
    const first = await next();
    expect(await soon()).toBeUndefined();
    if (first) done(first);
    expect(await nameOf(soon())).toBe("large");
    expect(await soon()).toBeUndefined();
  });

  it("gives a trial that was taken before its turn to whoever asks first, also when the job is stopped, so that what was made for it goes", async () => {
    const { next, soon, stops } = scheduler(["a", "b", "c"].map((name) => planOf(taskOf(name))));
    expect(await nameOf(soon())).toBe("a");
    expect(await nameOf(next())).toBe("a");
    expect(await nameOf(soon())).toBe("b");
    stops.stop("stopped");
    expect(await nameOf(next())).toBe("b");
    expect(await nameOf(next())).toBeUndefined();
  });

  it("gives it to one who waits for room already", async () => {
    const [large, small] = [taskOf("large", { memoryMb: 20 * 1024 }), taskOf("small")];
    const { next, soon, done } = scheduler([planOf(large), planOf(large, 2), planOf(small)]);
    const first = await next();
    const waiting = next();
    expect(await soon()).toBeUndefined();
    if (first) done(first);
    const taken = await soon();
    expect(taken).toMatchObject({ repeat: 2 });
    expect(await waiting).toBe(taken);
  });

  it("starts nothing while the disk is full, says so once, and goes on when there is room", async () => {
    let freeBytes = gib / 2;
    const { next, events } = scheduler([planOf(taskOf("a")), planOf(taskOf("b"))], {
      host: () => ({ ...roomy, disk: { folder: "/jobs", freeBytes, totalBytes: 100 * gib } }),
    });
    const both = Promise.all([nameOf(next()), nameOf(next())]);
    await expect.poll(() => events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: "job.pause",
      reason: "Only 512 MB are free on the disk of /jobs, and 1.0 GB are kept free; make room, and the job continues by itself.",
    });
    freeBytes = 2 * gib;
    expect(await both).toEqual(["a", "b"]);
    expect(events.map(({ type }) => type)).toEqual(["job.pause", "job.resume"]);
  });

  it("works on a disk that is small as a whole, and never had much free", async () => {
    const { next, events } = scheduler([planOf(taskOf("a"))], {
      host: () => ({ ...roomy, disk: { folder: "/jobs", freeBytes: 20_000, totalBytes: 24_000 } }),
    });
    expect([await nameOf(next()), events]).toEqual(["a", []]);
  });

  it("starts nothing that is needed no more, wherever it stands in the queue", async () => {
    const unwanted = new Set(["a", "c"]);
    const { next } = scheduler(
      ["a", "b", "c", "d"].map((name) => planOf(taskOf(name))),
      { wants: (plan) => !unwanted.has(plan.task.name) },
    );
    expect(await nameOf(next())).toBe("b");
    unwanted.add("d");
    expect(await nameOf(next())).toBeUndefined();
  });

  describe("keeps no build waiting for a trial that did not fit and", () => {
    const machineBytes = roomy.memoryBytes;
    /** A large trial was refused beside a build, and another build waits behind it; the first one has ended. */
    async function waiting(o: Parameters<typeof scheduler>[1] = {}) {
      const admission = createAdmission();
      const [large, small] = [taskOf("large", { memoryMb: 20 * 1024 }), taskOf("small", { memoryMb: 1024 })];
      const made = scheduler([planOf(large), planOf(small)], { ...o, admission });
      const end = await admission.build({ task: "large", bytes: machineBytes * 0.45, machineBytes });
      expect(await made.soon()).toBeUndefined();
      const begun: string[] = [];
      void admission.build({ task: "later", bytes: machineBytes * 0.45, machineBytes }).then(() => begun.push("later"));
      end();
      await new Promise(setImmediate);
      expect(begun).toEqual([]);
      return { ...made, begun };
    }

    it("is wanted no more", async () => {
      let wanted = true;
      const { soon, begun } = await waiting({ wants: () => wanted });
      wanted = false;
      expect(await soon()).toBeUndefined();
      expect(begun).toEqual(["later"]);
    });

    it("is kept by money", async () => {
      const budget = createBudget(1, [], new Map([["a", 1]]));
      const { soon, begun } = await waiting({ budget });
      budget.admit("a");
      expect(await soon()).toBeUndefined();
      expect(begun).toEqual(["later"]);
    });

    it("is not begun, because the job is stopped", async () => {
      const { soon, begun, stops } = await waiting();
      stops.stop("stopped");
      expect(await soon()).toBeUndefined();
      expect(begun).toEqual(["later"]);
    });

    it("is begun when nothing of that happens", async () => {
      const { soon, begun } = await waiting();
      expect(await nameOf(soon())).toBe("large");
      expect(begun).toEqual([]);
    });
  });

  it("ends its waiting when the job is stopped", async () => {
    const { next, stops } = scheduler([planOf(taskOf("a"))], { ready: () => false });
    const waiting = next();
    stops.stop("stopped");
    expect(await waiting).toBeUndefined();
  });
});

describe("admission", () => {
  it("never promises more memory than there is, nor processors more than four times, but a task alone always runs", () => {
    const needs = fc.record({ cpus: fc.integer({ min: 0, max: 16 }), memoryMb: fc.integer({ min: 0, max: 40_000 }) });
    const host: HostState = { cpus: 2, memoryBytes: 16 * gib };
    fc.assert(
      fc.property(fc.array(needs, { minLength: 1 }), fc.array(fc.nat(20)), (wanted, ends) => {
        const admission = createAdmission();
        const running: { cpus: number; memoryMb: number }[] = [];
        for (const [i, one] of wanted.entries()) {
          const task = taskOf("t", one);
          if (admission.ask(task, host).type === "start") {
            admission.take(task);
            running.push(one);
          } else expect(running.length).toBeGreaterThan(0);
          const total = (of: "cpus" | "memoryMb"): number => running.reduce((sum, each) => sum + each[of], 0);
          if (running.length > 1) {
            expect(total("memoryMb") / 1024).toBeLessThanOrEqual(16 * 0.9);
            expect(total("cpus")).toBeLessThanOrEqual(8);
          }
          const [ended] = running.splice((ends[i] ?? 0) % Math.max(1, running.length), ends[i] === undefined ? 0 : 1);
          if (ended) admission.release(taskOf("t", ended));
        }
      }),
    );
  });

  it("counts every container of a task with services, by its own limit, else by the one it gets", () => {
    const host: HostState = { cpus: 2, memoryBytes: 10 * gib };
    const compose = { main: "main", services: [{ name: "db", memoryMb: 4096, cpus: 3 }, { name: "cache" }, { name: "main" }] };
    const group = (more: object) => {
      const { environment, ...task } = taskOf("group", { memoryMb: 1024, cpus: 1 });
      return { ...task, environment: { ...environment, ...more } } as Task; // what a scheduler reads of a task
    };
    const after = (running: Task, next: Task): string => {
      const admission = createAdmission();
      admission.take(running);
      return admission.ask(next, host).type;
    };
    const [plain, own] = [group({ compose }), group({ compose: { ...compose, services: [{ name: "main", memoryMb: 9_000 }] } })];
    expect(after(plain, taskOf("t", { memoryMb: 4096 }))).toBe("start"); // 5 of 9 GiB, 4 of 8 processors
    expect(after(plain, taskOf("t", { memoryMb: 4097 }))).toBe("wait");
    expect(after(plain, taskOf("t", { cpus: 5 }))).toBe("wait");
    expect(after(taskOf("t", { memoryMb: 4097 }), plain)).toBe("wait");
    expect(after(own, taskOf("t", { memoryMb: 1024 }))).toBe("wait");
    expect(after(group({ compose, guard: { memoryMb: 2048 } }), taskOf("t", { memoryMb: 3000 }))).toBe("wait");
    const judged = { ...taskOf("t", { memoryMb: 4096 }), verifier: { environment: { memoryMb: 5120, cpus: 2 } } } as unknown as Task; // the same
    expect(after(judged, taskOf("t", { memoryMb: 1024 }))).toBe("wait");
    expect(after(judged, taskOf("t"))).toBe("start");
    const admission = createAdmission();
    admission.take(taskOf("t"));
    admission.take(plain);
    admission.release(plain);
    expect(admission.ask(taskOf("t", { memoryMb: 9216, cpus: 8 }), host).type).toBe("start");
  });

  it("starts nothing on a machine that is out of memory, whatever tasks ask for", () => {
    const verdict = createAdmission().ask(taskOf("t"), { ...roomy, freeMemoryBytes: 100 * 1024 ** 2 });
    expect(verdict).toMatchObject({
      type: "pause",
      reason: expect.stringMatching(/^Only 100 MB of memory are free, and 512 MB are kept free;/),
    });
  });
});

describe("a semaphore", () => {
  it("never lets in more than its width, loses nobody, and lets those who waited in by their order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 30 }), async (width, aborted) => {
        const semaphore = createSemaphore(width);
        const entered: number[] = [];
        let inside = 0;
        await Promise.all(
          aborted.map(async (gone, i) => {
            const signal = new AbortController();
            const turn = semaphore.acquire(signal.signal);
            if (gone) signal.abort(new Error("gone"));
            const leave = await turn.catch(() => undefined);
            if (!leave) return;
            entered.push(i);
            inside++;
            expect(inside).toBeLessThanOrEqual(width);
            await Promise.resolve();
            inside--;
            leave();
            leave(); // a second time does nothing
          }),
        );
        expect(semaphore.inside).toBe(0);
        expect(semaphore.waiting).toBe(0);
        expect(entered).toEqual(entered.toSorted((a, b) => a - b));
        for (const [i, gone] of aborted.entries()) if (!gone) expect(entered).toContain(i);
      }),
    );
  });
});

it("trials of tasks whose images are there run while another image is still being built", async () => {
  const ports = await benchPorts();
  const local = ports.provider("local");
  let release: (() => void) | undefined;
  const slow = new Promise<void>((resolve) => (release = resolve));
  const events: BenchEvent[] = [];
  const tasks = await Promise.all(["slow", "quick"].map((name) => fixtureTask({ name })));
  const request = await fixtureRequest(tasks, { jobs: 1 });
  await bench(
    request,
    {
      ...ports,
      provider: () => ({
        ...local,
        async prepare(environment, o) {
          if (environment.name === "slow") await slow;
          return local.prepare(environment, o);
        },
      }),
    },
    {
      onEvent(event) {
        events.push(event);
        if (event.type === "trial.end") release?.();
      },
    },
  );
  const told = events.flatMap((event) => {
    if (event.type === "image.end") return [`image ${event.task}`];
    return event.type === "trial.end" ? [`trial ${event.trial.task}`] : [];
  });
  expect(told).toEqual(["image quick", "trial quick", "image slow", "trial slow"]);
});
