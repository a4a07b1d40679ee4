import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import { followLines } from "../../../../harness/files/follow-lines.ts";
import { watchJob } from "../../../../evals/bench/watch/watch-job.ts";
import { systemClock } from "../../../../harness/system-ports.ts";
import type { Task } from "../../../../tasks/task.ts";
import { createProgressState } from "../../../../reports/terminal/bench-progress/progress-state.ts";
import type { ChildRequest } from "../bench-child.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 180_000 });

/** A bench of four trials. */
async function fourTrials(): Promise<{ readonly tasks: Task[]; readonly out: string }> {
  const tasks = await Promise.all(["one", "two"].map((name) => fixtureTask({ name, solve: "sleep 0.3; echo done > out.txt\n" })));
  return { tasks, out: join(await scratch(), "job") };
}
/** Carries it out in this process; answers from the moment on at which there is a job to watch. */
async function start({ tasks, out }: Awaited<ReturnType<typeof fourTrials>>): Promise<{ readonly ended: Promise<unknown> }> {
  const request = await fixtureRequest(tasks, { configurations: [fixtureConfig("a"), fixtureConfig("b")], out });
  const ports = await benchPorts();
  return new Promise((resolve, reject) => {
    const onEvent = ({ type }: BenchEvent): void => void (type === "trial.start" && resolve({ ended }));
    const ended = bench(request, ports, { onEvent });
    ended.catch(reject);
  });
}
/** The same in a process of its own. */
async function startChild({ tasks, out }: Awaited<ReturnType<typeof fourTrials>>): Promise<ChildProcess> {
  const request: ChildRequest = { tasks: tasks.map(({ folder }) => folder), out, repeats: 1, sandbox: "local" };
  const child = spawn(
    process.execPath,
    ["node_modules/jiti/lib/jiti-cli.mjs", "test/evals/bench/bench-child.ts", JSON.stringify(request)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await new Promise<void>((resolve) => {
    child.stdout?.on("data", (piece: Buffer) => {
      if (piece.includes('"trial.start"')) resolve();
    });
    child.once("exit", () => resolve());
  });
  return child;
}

async function watch(out: string, hear: (event: BenchEvent) => void = () => undefined) {
  const events: BenchEvent[] = [];
  const onEvent = (event: BenchEvent): void => {
    events.push(event);
    hear(event);
  };
  const result = await watchJob(out, { onEvent, clock: systemClock, everyMs: 20 });
  return { events, result };
}
async function content(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${(await readFile(path)).toString("base64")}` : path;
    }),
  );
}
const trialsOf = (events: readonly BenchEvent[], type: "trial.start" | "trial.end") =>
  events
    .flatMap((event) => (event.type === type ? [`${event.trial.task} ${event.trial.configuration} ${event.trial.repeat}`] : []))
    .toSorted();
const four = ["one", "two"].flatMap((task) => ["a 1", "b 1"].map((rest) => `${task} ${rest}`));

describe("watching a job", () => {
  it("tells each trial once, its steps while it runs, and ends with the job and its result, which it tells again later", async () => {
    const job = await fourTrials();
    const { out } = job;
    const { ended } = await start(job);
    const { events, result } = await watch(out);
    expect(trialsOf(events, "trial.start")).toEqual(four);
    expect(trialsOf(events, "trial.end")).toEqual(four);
    expect(events[0]).toMatchObject({ type: "job.start", suite: "fixture", tasks: 2, repeats: 1, trials: 4, finished: 0, jobs: 2 });
    expect(events.some((event) => event.type === "trial.step" && event.step.command?.startsWith("bash:"))).toBe(true);
    expect(result).toMatchObject({ status: "finished", recorded: 4 });
    expect(events.at(-1)).toMatchObject({ type: "job.end", result });

    // A job that has ended: told at once, and nothing in its folder is touched.
    await ended;
    const before = await content(out);
    const state = createProgressState();
    expect((await watch(out, state.add)).result).toEqual(result);
    expect(state.done).toBe(4);
    expect([...state.arms.values()].map(({ passed, failed }) => [passed, failed])).toEqual([
      [2, 0],
      [2, 0],
    ]);
    expect(await content(out)).toEqual(before);
  });

  it("notices that the runner was killed, and counts what was finished before when another goes on", async () => {
    const job = await fourTrials();
    const { out } = job;
    const child = await startChild(job);
    const seen = await watch(out, (event) => {
      if (event.type === "trial.end") child.kill("SIGKILL");
    });
    expect(seen.result).toBeUndefined();
    const before = trialsOf(seen.events, "trial.end").length;
    expect(before).toBeGreaterThan(0);
    const again = await startChild(job);
    const state = createProgressState();
    const { result, events } = await watch(out, state.add);
    expect(result).toMatchObject({ status: "finished", recorded: 4 });
    expect(events[0]).toMatchObject({ type: "job.start", trials: 4 });
    expect(state.done).toBe(4);
    expect([...state.arms.values()].map(({ passed }) => passed)).toEqual([2, 2]);
    if (again.exitCode === null) await new Promise((resolve) => again.once("exit", resolve));
  });

  it("refuses a folder that holds no job", async () => {
    const folder = await scratch();
    await expect(watch(folder)).rejects.toThrow(
      `${folder} is not a job's folder: it has no lock.json. Give the folder that forge bench printed.`,
    );
    expect(existsSync(join(folder, "journal.jsonl"))).toBe(false);
  });
});

it("a followed file gives each line once, whole, however it was written", async () => {
  const path = join(await scratch(), "lines");
  const lines = followLines(path);
  expect(await lines.read()).toEqual([]);
  await writeFile(path, Buffer.from('one\ntw"ö').subarray(0, -1));
  expect(await lines.read()).toEqual(["one"]);
  await appendFile(path, Buffer.concat([Buffer.from("ö").subarray(1), Buffer.from("\n\nfour\n")]));
  expect(await lines.read()).toEqual(['tw"ö', "", "four"]);
  expect(await lines.read()).toEqual([]);
});
