import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import { createMemoryRoom, type MemoryRoom } from "../../../../evals/bench/schedule/memory-room.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);

const machineBytes = 100;
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open?.(), opened };
}
/** What was admitted at once, without waiting for anything. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};
async function built(room: MemoryRoom, task = "t", bytes = 45): Promise<{ started: boolean; end?: () => void; abort: () => void }> {
  const gone = new AbortController();
  const one: { started: boolean; end?: () => void; abort: () => void } = { started: false, abort: () => gone.abort(new Error("gone")) };
  room
    .build({ task, bytes, machineBytes, signal: gone.signal })
    .then((end) => {
      one.started = true;
      one.end = end;
    })
    .catch(() => undefined);
  await settled();
  return one;
}

describe("the memory of a machine that trials and builds share", () => {
  it("lets two builds run together, and no trial beside them that asks for more than what is left", async () => {
    const room = createMemoryRoom();
    const [first, second] = [await built(room), await built(room)];
    expect([first.started, second.started, room.fits(1, machineBytes), room.fits(0, machineBytes)]).toEqual([true, true, false, true]);
    first.end?.();
    expect([room.fits(46, machineBytes), room.fits(45, machineBytes)]).toEqual([false, true]);
  });

  it("keeps a build waiting until trials leave it room, and lets no further trial in before it", async () => {
    const room = createMemoryRoom();
    for (const bytes of [40, 20]) room.take(bytes);
    const build = await built(room);
    expect([build.started, room.fits(10, machineBytes)]).toEqual([false, false]);
    room.release(20);
    await settled();
    expect([build.started, room.fits(10, machineBytes), room.fits(5, machineBytes)]).toEqual([true, false, true]);
  });

  it("lets a trial in that has waited since before a build asked", async () => {
    const room = createMemoryRoom();
    const [first] = [await built(room), await built(room)];
    expect(room.fits(30, machineBytes)).toBe(false);
    const third = await built(room);
    first.end?.();
    await settled();
    expect([third.started, room.fits(30, machineBytes)]).toEqual([false, true]);
  });

  it("lets a trial that has waited in before a build that asked later, where the last of the earlier builds has left too", async () => {
    const room = createMemoryRoom();
    const earlier = [await built(room), await built(room)];
    expect(room.fits(60, machineBytes)).toBe(false);
    const later = await built(room);
    for (const { end } of earlier) end?.();
    await settled();
    expect([later.started, room.fits(60, machineBytes)]).toEqual([false, true]);
    room.take(60);
    await settled();
    expect(later.started).toBe(false);
    room.release(60);
    await settled();
    expect(later.started).toBe(true);
  });

  it("lets a build go that a trial with room waits for, before a trial that has waited for room longer", async () => {
    const room = createMemoryRoom();
    room.take(60);
    void room.lend({ task: "mine", bytes: 60, trial: {} }, () => new Promise(() => undefined));
    expect(room.fits(60, machineBytes)).toBe(false);
    expect((await built(room, "mine")).started).toBe(true);
  });

  it("lets no build begin that asked after a trial was refused, however many are asked for by however many workers, until that has its room or is given up", async () => {
    const worker = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 120 }), turns: fc.nat(4) }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(worker, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 120 }),
        fc.nat(8),
        fc.nat(40),
        async (workers, bytes, delay, patience) => {
          const room = createMemoryRoom();
          const asked: number[] = [];
          const begun: number[] = [];
          const builder = async (builds: (typeof workers)[number]): Promise<void> => {
            for (const { bytes: wanted, turns } of builds) {
              const id = asked.length;
              asked.push(id);
              const end = await room.build({ task: `t${id}`, bytes: wanted, machineBytes });
              begun.push(id);
              for (let i = 0; i < turns; i++) await settled();
              end();
            }
          };
          const trial = async (): Promise<void> => {
            for (let i = 0; i < delay; i++) await settled();
            let before: number | undefined;
            let left = patience;
            while (!room.fits(bytes, machineBytes)) {
              if (left-- === 0) return room.askedNoMore();
              before ??= asked.length;
              await settled();
            }
            room.take(bytes);
            if (before !== undefined) expect(Math.max(-1, ...begun)).toBeLessThan(before);
            await settled();
            room.release(bytes);
          };
          await Promise.all([...workers.map(builder), trial()]);
          expect(begun.length).toBe(asked.length);
        },
      ),
    );
  });

  it("gives the machine to itself to what wants more than there is", async () => {
    const room = createMemoryRoom();
    expect(room.fits(500, machineBytes)).toBe(true);
    room.take(500);
    const build = await built(room, "t", 200);
    expect(build.started).toBe(false);
    room.release(500);
    await settled();
    expect([build.started, room.fits(1, machineBytes)]).toEqual([true, false]);
    build.end?.();
    expect(room.fits(500, machineBytes)).toBe(true);
  });

  it("gives what a trial has to the build that the trial waits for, and to no other trial; it goes on when builds have left it its own", async () => {
    const room = createMemoryRoom();
    const trials = ["a", "b", "c"].map((task) => {
      room.take(30);
      return { task, image: gate(), back: false };
    });
    for (const one of trials)
      void room.lend({ task: one.task, bytes: 30, trial: one }, () => one.image.opened).then(() => (one.back = true));
    const builds = [await built(room, "a"), await built(room, "b"), await built(room, "c")];
    expect(builds.map(({ started }) => started)).toEqual([true, true, false]);
    expect(room.fits(1, machineBytes)).toBe(false);
    builds[0]?.end?.();
    trials[0]?.image.open();
    await settled();
    expect(trials[0]?.back).toBe(true); // its own 30 beside the 45 of b's build
    expect(builds[2]?.started).toBe(false);
    builds[1]?.end?.();
    trials[1]?.image.open();
    room.release(30);
    await settled();
    expect([trials[1]?.back, builds[2]?.started]).toEqual([true, true]);
  });

  it("gives the build that a trial waits for what a trial behind it has too, once, whatever else that one waits for", async () => {
    const room = createMemoryRoom();
    const [trial, behind] = [{}, {}];
    room.take(20);
    room.take(60);
    const ever = (): Promise<never> => new Promise(() => undefined);
    void room.lend({ task: "now", bytes: 20, trial }, ever);
    expect((await built(room, "now")).started).toBe(false); // the trial behind it has 60 of the 90
    void room.lend({ task: "now", bytes: 60, trial: behind }, ever);
    await settled();
    expect((await built(room, "next", 30)).started).toBe(true);
    void room.lend({ task: "next", bytes: 60, trial: behind }, ever);
    expect((await built(room, "third", 16)).started).toBe(false); // 45 and 30 are built: what is lent twice is there once
  });

  it("lends nothing of a trial whose image is there", async () => {
    const room = createMemoryRoom();
    room.take(60);
    void room.lend({ task: "a", bytes: 60, trial: {} }, () => new Promise(() => undefined));
    expect((await built(room, "b")).started).toBe(false);
  });

  it("forgets a build that is waited for no more", async () => {
    const room = createMemoryRoom();
    room.take(60);
    const build = await built(room);
    expect(room.fits(10, machineBytes)).toBe(false);
    build.abort();
    await settled();
    expect(room.fits(10, machineBytes)).toBe(true);
  });

  it("never promises more than nine tenths, but to one alone, and whatever is asked in whatever order, everything comes to its end", async () => {
    const bytes = fc.integer({ min: 0, max: 120 });
    const wanted = fc.record({ kind: fc.constantFrom("build", "trial", "trial whose image is built again"), bytes, turns: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 12 }), async (all) => {
        const room = createMemoryRoom();
        const running = new Map<number, number>();
        const holds = async (id: number, bytes: number, turns: number): Promise<void> => {
          running.set(id, bytes);
          const total = [...running.values()].reduce((sum, one) => sum + one, 0);
          expect([...running.values()].filter((one) => one > 0).length <= 1 || total <= 90).toBe(true);
          for (let i = 0; i < turns; i++) await settled();
          running.delete(id);
        };
        const build = async (id: number, turns: number): Promise<void> => {
          const end = await room.build({ task: `t${id}`, bytes: 45, machineBytes });
          await holds(-id - 1, 45, turns);
          end();
        };
        let turnsLeft = 2_000;
        const one = async ({ kind, bytes, turns }: (typeof all)[number], id: number): Promise<void> => {
          if (kind === "build") return build(id, turns);
          while (!room.fits(bytes, machineBytes)) {
            if (--turnsLeft === 0) throw new Error("it waits for ever");
            await settled();
          }
          room.take(bytes);
          if (kind !== "trial") await room.lend({ task: `t${id}`, bytes, trial: {} }, () => build(id, turns));
          await holds(id, bytes, turns);
          room.release(bytes);
        };
        await Promise.all(all.map(one));
        expect(running.size).toBe(0);
      }),
    );
  });
});

it("a trial that a build leaves no room starts when that has ended", async () => {
  const ports = await benchPorts();
  const local = ports.provider("local");
  const capacity = { cpus: 8, memoryBytes: 1000 * 1024 ** 2, local: false };
  const events: BenchEvent[] = [];
  let building = false;
  const told: string[] = [];
  const [begun, end] = [gate(), gate()];
  const tasks = await Promise.all(
    ["quick", "slow"].map(async (name) => {
      const task = await fixtureTask({ name });
      return { ...task, environment: { ...task.environment, memoryMb: 600 } };
    }),
  );
  const running = bench(
    await fixtureRequest(tasks, { jobs: 2 }),
    {
      ...ports,
      provider: () => ({
        ...local,
        capacity: async () => capacity,
        async prepare(environment, o) {
          if (environment.name === "quick") {
            await begun.opened;
            return local.prepare(environment, o);
          }
          const leave = await o?.room?.(450 * 1024 ** 2);
          building = true;
          begun.open();
          await end.opened;
          building = false;
          leave?.();
          return local.prepare(environment, o);
        },
      }),
    },
    {
      onEvent(event) {
        events.push(event);
        if (event.type === "trial.start") told.push(`${event.trial.task}${building ? " beside a build" : ""}`);
      },
    },
  );
  await expect.poll(() => events.some(({ type }) => type === "image.end")).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 500)); // several looks of the scheduler
  expect(told).toEqual([]);
  end.open();
  expect((await running).status).toBe("finished");
  expect(told.toSorted()).toEqual(["quick", "slow"]);
});
