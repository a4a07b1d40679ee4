import { existsSync } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { trialsLeft } from "../../../evals/bench/trials-left.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { BenchPorts, TrialRunRequest } from "../../../evals/bench-ports.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { trialRecordSchema } from "../../../evals/trial/trial-record.ts";
import { ConfigError, InfraError } from "../../../harness/errors.ts";
import { nextCommands } from "../../../reports/terminal/configuration-table.ts";
import {
  benchPorts,
  checkOut,
  fixtureConfig,
  fixtureRequest as hardenedRequest,
  fixtureTask,
  removeScratch,
  scratch,
  suiteOf,
} from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

/** Verified in the trial's own sandbox, which is half the work. */
const fixtureRequest: typeof hardenedRequest = (tasks, change) => hardenedRequest(tasks, { mode: "official", ...change });

/** Real ports whose runs can be counted, delayed or failed from outside. */
async function watchedPorts(
  before: (request: TrialRunRequest, count: number) => Promise<void> | void = () => undefined,
): Promise<BenchPorts & { readonly runs: string[] }> {
  const ports = await benchPorts();
  const runs: string[] = [];
  return {
    ...ports,
    runs,
    async run(request) {
      const meta = JSON.parse(JSON.stringify(request.meta));
      runs.push(`${meta.trial.task} ${meta.trial.configuration} ${meta.trial.repeat}`);
      await before(request, runs.length);
      return ports.run(request);
    },
  };
}

function listen(): { events: BenchEvent[]; onEvent: (event: BenchEvent) => void; types: () => string[] } {
  const events: BenchEvent[] = [];
  return { events, onEvent: (event) => events.push(event), types: () => events.map(({ type }) => type) };
}

const lineSchema = z.looseObject({ t: z.string() });
const twoArms = { configurations: [fixtureConfig("a"), fixtureConfig("b", { limits: { turns: 5 } })] };

describe("a bench", () => {
  it("runs every trial once, arms interleaved by task, the first arm alternating, seeds equal over arms", async () => {
    const tasks = [await fixtureTask({ name: "one" }), await fixtureTask({ name: "two" })];
    const ports = await watchedPorts();
    const { events, onEvent } = listen();
    const result = await bench(await fixtureRequest(tasks, { ...twoArms, repeats: 2, jobs: 1 }), ports, { onEvent });
    expect(ports.runs).toEqual(["one a 1", "one b 1", "one b 2", "one a 2", "two a 1", "two b 1", "two b 2", "two a 2"]);
    expect(result).toMatchObject({
      status: "finished",
      trials: 8,
      recorded: 8,
      unscored: 0,
      invalid: false,
      simulated: false,
      configurations: [
        { configuration: "a", trials: 4, passed: 4, failed: 0 },
        { configuration: "b", trials: 4, passed: 4 },
      ],
    });
    const seeds = events.flatMap((event) =>
      event.type === "trial.end" ? [`${event.trial.task} ${event.trial.repeat} ${event.record.seed}`] : [],
    );
    expect(new Set(seeds).size).toBe(4);
    expect(events[0]?.type).toBe("job.start");
    expect(events.at(-1)).toEqual({ type: "job.end", ts: expect.any(Number), result });
  });

  it("leaves a folder in which everything can be read again", async () => {
    const { folder } = await bench(await hardenedRequest([await fixtureTask()]), await benchPorts());
    expect((await readdir(folder)).toSorted()).toEqual([
      "blobs",
      "config.json",
      "journal.jsonl",
      "lock.json",
      "result.json",
      "runner.1.json",
      "trials",
    ]);
    const record = trialRecordSchema.parse(JSON.parse(await readFile(join(folder, "trials/write-out/plain/1/result.json"), "utf8")));
    expect(record).toMatchObject({ task: "write-out", family: "fixture", difficulty: "easy", repeat: 1, attempt: 1, agent: "oracle" });
    expect(JSON.parse(await readFile(join(folder, record.trace, "seal.json"), "utf8"))).toMatchObject({ workspace: record.workspaceHash });
    const journal = (await readFile(join(folder, "journal.jsonl"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => lineSchema.parse(JSON.parse(line)).t);
    expect(journal).toEqual(["job.open", "image.start", "image.end", "attempt.start", "attempt.end", "job.close"]);
  });

  it("without --out is found again by what was asked", async () => {
    const request = await fixtureRequest([await fixtureTask()]);
    const { out, ...rest } = request;
    const jobsFolder = `${out}s`;
    const first = await bench({ ...rest, jobsFolder }, await benchPorts());
    const ports = await watchedPorts();
    const again = await bench({ ...rest, jobsFolder, jobs: 1 }, ports);
    expect([again.folder, ports.runs]).toEqual([first.folder, []]);
    expect((await bench({ ...rest, jobsFolder, agent: "nop" }, ports)).folder).not.toBe(first.folder);
  });

  it("tries a trial again after an infrastructure error, keeps both attempts and counts one trial", async () => {
    const ports = await watchedPorts((_, count) => {
      if (count === 1) throw new InfraError("The daemon went away.");
    });
    const { onEvent, types } = listen();
    const result = await bench(await fixtureRequest([await fixtureTask()]), ports, { retryMs: 1, onEvent });
    expect(result.configurations).toMatchObject([{ trials: 1, passed: 1, unscored: 0, infraAttempts: 1 }]);
    expect((await readdir(join(result.folder, "trials/write-out/plain/1"))).toSorted()).toEqual(["attempt-1", "attempt-2", "result.json"]);
    const told = types().filter((type) => type !== "trial.step");
    // The image is looked for again: it may be what was lost.
    const image = ["image.start", "image.end"];
    expect(told).toEqual(["job.start", ...image, "trial.start", "trial.retry", "trial.start", ...image, "trial.end", "job.end"]);
  });

  it("gives a trial up after three infrastructure errors, is invalid with two of these, and tries them again when resumed", async () => {
    const tasks = [await fixtureTask({ name: "one" }), await fixtureTask({ name: "two" })];
    let broken = true;
    const ports = await watchedPorts(() => {
      if (broken) throw new InfraError("The daemon went away.");
    });
    const request = await fixtureRequest(tasks);
    const result = await bench(request, ports, { retryMs: 1 });
    expect(result).toMatchObject({
      status: "finished",
      recorded: 2,
      unscored: 2,
      invalid: true,
      configurations: [{ infraAttempts: 6, costUsd: 0 }],
    });
    broken = false;
    const again = await bench(request, ports, { retryMs: 1 });
    expect(again).toMatchObject({ unscored: 0, invalid: false, configurations: [{ passed: 2, infraAttempts: 6 }] });
  });

  it("stops at a configuration that cannot work, and leaves no result", async () => {
    const ports = await watchedPorts(() => {
      throw new ConfigError("model.name: there is no such model.");
    });
    const request = await fixtureRequest([await fixtureTask({ name: "one" }), await fixtureTask({ name: "two" })], { jobs: 1 });
    await expect(bench(request, ports)).rejects.toThrow("there is no such model");
    expect(ports.runs).toHaveLength(1);
    expect(await readdir(request.out ?? "")).not.toContain("result.json");
  });

  it("asked to stop lets running trials finish, and goes on when asked again", async () => {
    const tasks = await Promise.all(["one", "two", "three"].map((name) => fixtureTask({ name })));
    const stop = new AbortController();
    const ports = await watchedPorts((_, count) => {
      if (count === 2) stop.abort();
    });
    const request = await fixtureRequest(tasks, { jobs: 1 });
    const { onEvent, types } = listen();
    expect(await bench(request, ports, { stop: stop.signal, onEvent })).toMatchObject({ status: "stopped", recorded: 2, trials: 3 });
    expect(types()).toContain("job.stop");
    expect(await bench(request, ports)).toMatchObject({ status: "finished", recorded: 3 });
    expect(ports.runs).toEqual(["one plain 1", "two plain 1", "three plain 1"]);
  });

  it("cancelled ends running trials at once, keeps their traces, and runs them again", async () => {
    const cancel = new AbortController();
    const marker = join(await scratch(), "was-here");
    const task = await fixtureTask({ solve: `echo done > out.txt; [ -e ${marker} ] || { touch ${marker}; sleep 3600; }` });
    const request = await fixtureRequest([task]);
    const ports = await watchedPorts();
    const { events, onEvent } = listen();
    const running = bench(request, ports, { signal: cancel.signal, onEvent });
    await vi.waitUntil(() => existsSync(marker), { timeout: 60_000 });
    cancel.abort();
    const result = await running;
    expect(result).toMatchObject({ status: "cancelled", recorded: 0 });
    expect(events.find(({ type }) => type === "trial.retry")).toMatchObject({ class: "cancelled", again: false });
    expect(await readdir(join(result.folder, "trials/write-out/plain/1/attempt-1"))).toContain("seal.json");
    expect(await bench(request, ports)).toMatchObject({ status: "finished", recorded: 1, configurations: [{ passed: 1 }] });
  });

  it("after the grace of a stop cancels what still runs", async () => {
    const stop = new AbortController();
    const request = await fixtureRequest([await fixtureTask({ solve: "sleep 3600" })]);
    const ports = await watchedPorts(() => stop.abort());
    expect(await bench(request, ports, { stop: stop.signal, graceMs: 200 })).toMatchObject({ status: "stopped", recorded: 0 });
  });

  it("stays under its cost limit and says that it stopped for it", async () => {
    const tasks = await Promise.all(["one", "two", "three", "four"].map((name) => fixtureTask({ name })));
    const ports = await watchedPorts();
    const run: BenchPorts["run"] = async (o) => {
      const ran = await ports.run(o);
      return { ...ran, result: { ...ran.result, spent: { ...ran.result.spent, costUsd: 0.4 } } };
    };
    const request = await fixtureRequest(tasks, { maxCostUsd: 1, jobs: 4 });
    const limited = { status: "max-cost", recorded: 2, spentUsd: 0.8 };
    const result = await bench(request, { ...ports, run });
    expect(result).toMatchObject(limited);
    expect(await bench(request, { ...ports, run })).toMatchObject(limited); // it still knows what a trial costs
    expect(await trialsLeft(request, ports)).toHaveLength(2);
    expect(nextCommands(result, "d2c0")).toBe(
      "Stopped at 2/4: $0.80 spent, and another trial might exceed --max-cost. Resume: forge jobs resume d2c0 --max-cost USD",
    );
    expect(await bench({ ...request, maxCostUsd: 2 }, { ...ports, run })).toMatchObject({ status: "finished", recorded: 4 });
    expect(await trialsLeft(request, ports)).toEqual([]);
  });
});

describe("a bench that is resumed", () => {
  async function finishedJob(change: Partial<BenchRequest> = {}): Promise<BenchRequest> {
    const request = await fixtureRequest([await fixtureTask()], change);
    await bench(request, await benchPorts());
    return request;
  }

  it("refuses to pool with another harness, task, or Forge, and says which", async () => {
    const request = await finishedJob();
    const ports = await benchPorts();
    const changed = { ...request, configurations: [fixtureConfig("plain", { limits: { turns: 3 } })] };
    await expect(bench(changed, ports)).rejects.toThrow(
      /cannot be resumed.*harness of configuration plain \(limits\.turns .*→ 3.*\): [0-9a-f]{12} → [0-9a-f]{12}/,
    );
    await expect(bench({ ...request, suite: suiteOf(await fixtureTask({ test: `${checkOut} # changed` })) }, ports)).rejects.toThrow(
      /task write-out: /,
    );
    await expect(bench(request, { ...ports, forgeVersion: "99.0.0" })).rejects.toThrow(/Forge's version: .* → 99.0.0/);
    const identify: BenchPorts["identify"] = async (...of) => ({ ...(await ports.identify(...of)), fingerprint: "other" });
    await expect(bench(request, { ...ports, identify })).rejects.toThrow(/model of configuration plain/);
  });

  it("with more repeats, tasks or configurations runs only what is missing, and stays the same job", async () => {
    const [one, two] = [await fixtureTask({ name: "one" }), await fixtureTask({ name: "two" })];
    const request = await fixtureRequest([one], { jobs: 1 });
    const ports = await watchedPorts();
    const { job } = await bench(request, ports);
    const arms = [fixtureConfig(), fixtureConfig("more", { limits: { turns: 3 } })];
    const more = { configurations: arms };
    const larger = [more, { ...more, suite: suiteOf(one, two) }];
    for (const change of larger) expect(await bench({ ...request, ...change }, ports)).toMatchObject({ job, status: "finished" });
    const all = { ...request, ...larger[1], repeats: 2 };
    const stop = new AbortController();
    const onEvent = ({ type }: BenchEvent): void => void (type === "job.start" && stop.abort());
    expect(await bench(all, ports, { stop: stop.signal, onEvent })).toMatchObject({ job, status: "stopped", recorded: 4, trials: 8 });
    expect(ports.runs).toEqual(["one plain 1", "one more 1", "two plain 1", "two more 1"]);
    await expect(bench(request, ports)).rejects.toThrow(
      /holds more than was requested: task two, configuration more, 2 repeats. Request that too, add to the job with `forge jobs resume/,
    );
  });

  it("runs a trial again whose attempt was broken off, puts what was left aside, and continues after a torn journal", async () => {
    const request = await finishedJob();
    const folder = request.out ?? "";
    const trial = join(folder, "trials/write-out/plain/1");
    await rm(join(trial, "result.json"));
    await rm(join(trial, "attempt-1/seal.json"));
    await writeFile(join(folder, "journal.jsonl"), '{"t":"job.open"}\n{"t":"attempt.sta');
    const ports = await watchedPorts();
    expect(await bench(request, ports)).toMatchObject({ recorded: 1, configurations: [{ trials: 1, passed: 1 }] });
    expect(ports.runs).toHaveLength(1);
    expect((await readdir(trial)).toSorted()).toEqual(["attempt-2", "result.json"]);
    expect(await readdir(join(folder, "unfinished"))).toHaveLength(1);
  });

  it("does not pay again for a sealed attempt whose result was not published", async () => {
    const request = await finishedJob();
    await rm(join(request.out ?? "", "trials/write-out/plain/1/result.json"));
    const ports = await watchedPorts();
    expect(await bench(request, ports)).toMatchObject({ recorded: 1, configurations: [{ passed: 1 }] });
    expect(ports.runs).toEqual([]);
  });

  it("says which record is damaged", async () => {
    const request = await finishedJob();
    await writeFile(join(request.out ?? "", "trials/write-out/plain/1/result.json"), "{}");
    await expect(bench(request, await benchPorts())).rejects.toThrow(/result.json is not the record of a trial/);
  });

  it("has another id in another folder, though the request is the same, and keeps its own when it goes on", async () => {
    const request = await fixtureRequest([await fixtureTask()]);
    const ports = await benchPorts();
    const elsewhere = { ...request, out: join(await scratch(), "job") };
    const [one, two] = await Promise.all([bench(request, ports), bench(elsewhere, ports)]);
    expect(one.job).not.toBe(two.job);
    expect(await bench({ ...request, repeats: 2 }, ports)).toMatchObject({ job: one.job, recorded: 2 });
  });

  it("while another runner works on it waits, then counts what that one did", async () => {
    const request = await fixtureRequest([await fixtureTask({ name: "one" }), await fixtureTask({ name: "two" })], { jobs: 1 });
    let [begins, waits] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begins = resolve));
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const first = await watchedPorts(() => (begins(), waiting));
    const second = await watchedPorts();
    const types: string[] = [];
    const running = bench(request, first);
    await begun;
    const onEvent = ({ type }: BenchEvent): void => {
      types.push(type);
      waits();
    };
    const [a, b] = await Promise.all([running, bench(request, second, { onEvent })]);
    expect([a.recorded, b.recorded]).toEqual([2, 2]);
    expect([first.runs.length, second.runs.length]).toEqual([2, 0]);
    expect(types[0]).toBe("job.wait");
  });
});

describe("a request that cannot be carried out", () => {
  it.each<[string, Partial<BenchRequest>, RegExp]>([
    ["a filter that fits nothing", { filter: "nothing-*" }, /matches no task of suite "fixture"\. Available: write-out/],
    ["two arms of one name", { configurations: [fixtureConfig("a"), fixtureConfig("a")] }, /Two configurations are called "a"/],
    ["no arm", { configurations: [] }, /at least one configuration/],
  ])("(%s) says why", async (_, change, message) => {
    const request = await fixtureRequest([await fixtureTask()], change);
    await expect(bench(request, await benchPorts())).rejects.toThrow(message);
  });

  it("(a cost limit for a model without a price) says why", async () => {
    const ports = await benchPorts();
    const identify: BenchPorts["identify"] = async (...of) => ({ ...(await ports.identify(...of)), priceTable: null });
    const request = await fixtureRequest([await fixtureTask()], { maxCostUsd: 1 });
    await expect(bench(request, { ...ports, identify })).rejects.toThrow(/--max-cost needs a price/);
  });

  it("(the oracle on a task without a solution) says why", async () => {
    const { solution: _, ...task } = await fixtureTask();
    await expect(bench(await fixtureRequest([task]), await benchPorts())).rejects.toThrow(/has no solution/);
  });

  it("(a real model with nothing to confine it) says why", async () => {
    const ports = await benchPorts();
    const identify: BenchPorts["identify"] = async () => ({ provider: "openai", name: "x", protocol: "native", priceTable: null });
    const { model } = fixtureConfig();
    const configurations = [fixtureConfig("real", { model: { ...model, name: "openai/x" } })];
    const request = await fixtureRequest([await fixtureTask()], { agent: "configured", configurations });
    await expect(bench(request, { ...ports, identify })).rejects.toThrow(/--sandbox local cannot be used: a real model would run commands/);
  });
});
