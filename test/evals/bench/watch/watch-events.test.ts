import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../../evals/bench/bench-events.ts";
import type { BenchPorts } from "../../../../evals/bench-ports.ts";
import type { BenchOptions, BenchRequest } from "../../../../evals/bench/bench-request.ts";
import { watchJob } from "../../../../evals/bench/watch/watch-job.ts";
import { InfraError } from "../../../../harness/errors.ts";
import { systemClock } from "../../../../harness/system-ports.ts";
import { startModelServer } from "../../../servers/model-server.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch } from "../../bench-fixture.ts";

afterAll(removeScratch);

/** What a job says of itself as a whole, beside its trials. */
const ofTheJob = ["task.left-out", "image.start", "image.end", "job.pause", "job.resume", "provider.pause", "job.stop"];

/** What the runner's own terminal was told, and what one who watches the folder is told. */
async function toldAndWatched(request: BenchRequest, ports: BenchPorts, o: BenchOptions = {}): Promise<[BenchEvent[], BenchEvent[]]> {
  const [told, watched]: [BenchEvent[], BenchEvent[]] = [[], []];
  const onEvent = (event: BenchEvent): void => {
    told.push(event);
    o.onEvent?.(event);
  };
  const result = await bench(request, ports, { retryMs: 1, ...o, onEvent });
  await watchJob(result.folder, { onEvent: (event) => watched.push(event), clock: systemClock, everyMs: 5 });
  const about = (events: BenchEvent[]): BenchEvent[] => events.filter(({ type }) => ofTheJob.includes(type));
  return [about(told), about(watched)];
}

describe("one who watches from another process is told what the runner's own terminal is told", () => {
  it("of images, built or not, and of a provider that asks for less", async () => {
    const server = await startModelServer({
      replies: [{ status: 429, headers: { "retry-after-ms": "1200" } }],
      always: () => ({ text: "I am done." }),
    });
    const model = { name: "local/scripted", protocol: "native" as const, maxOutputTokens: 100, baseUrl: server.url };
    const request = await fixtureRequest(
      [await fixtureTask({ name: "good" }), await fixtureTask({ name: "bad", dockerfile: "RUN exit 7\n" })],
      {
        agent: "configured",
        sandbox: "local-unsafe",
        configurations: [fixtureConfig("plain", { model })],
        jobs: 1,
      },
    );
    const [told, watched] = await toldAndWatched(request, await benchPorts()).finally(() => server.close());
    expect(watched).toEqual(told);
    expect(told.filter(({ type }) => type === "image.end")).toMatchObject([
      { task: "good", digest: expect.any(String) as unknown },
      { task: "bad", digest: null, error: expect.stringContaining("exit 7") as unknown },
    ]);
    const pause = told.find((event) => event.type === "provider.pause");
    expect(pause?.provider).toBe(`local at ${server.url}`);
    expect((pause?.until ?? 0) - (pause?.ts ?? 0)).toBeGreaterThan(1_000);
  });

  it("of a task that is left out", async () => {
    const live = await fixtureTask({ name: "live", forge: 'verify = "live"' });
    const [told, watched] = await toldAndWatched(
      await fixtureRequest([live, await fixtureTask()], { sandbox: "local" }),
      await benchPorts(),
    );
    expect(watched).toEqual(told);
    expect(told[0]).toMatchObject({ type: "task.left-out", task: "live", reason: expect.stringContaining("--sandbox docker") as unknown });
  });

  it("of a stop", async () => {
    const ports = await benchPorts();
    const stopping = new AbortController();
    const request = await fixtureRequest([await fixtureTask()], { repeats: 3, jobs: 1 });
    const onEvent = ({ type }: BenchEvent): void => void (type === "trial.end" && stopping.abort());
    const [told, watched] = await toldAndWatched(request, ports, { stop: stopping.signal, onEvent });
    expect(watched).toEqual(told);
    expect(told.at(-1)).toMatchObject({ type: "job.stop", reason: "asked" });
  });
});

it("a verifier's own image is built before any agent works, and where it cannot be, no agent does", async () => {
  const task = await fixtureTask({ hardened: false });
  const separate = {
    ...task,
    verifier: { ...task.verifier, environment: { ...task.environment, name: "theirs", bundledTests: false } },
  };
  const ports = await benchPorts();
  const provider = ports.provider("local");
  const asked: string[] = [];
  let ran = 0;
  const watching = (broken: boolean): BenchPorts => ({
    ...ports,
    provider: () => ({
      ...provider,
      async prepare(environment, o) {
        asked.push(environment.name);
        if (broken && environment.name === "theirs") throw new InfraError("Step 2 of its Dockerfile failed.", { lasting: true });
        return provider.prepare(environment, o);
      },
    }),
    run(o) {
      ran += 1;
      asked.push("agent");
      return ports.run(o);
    },
  });
  const request = await fixtureRequest([separate], { sandbox: "local-unsafe" });
  const result = await bench(request, watching(true), { retryMs: 1 });
  expect(result).toMatchObject({ recorded: 1, unscored: 1 });
  expect([asked, ran]).toEqual([["write-out", "theirs"], 0]);
  const record = JSON.parse(await readFile(join(result.folder, "trials/write-out/plain/1/result.json"), "utf8")) as object;
  expect(record).toMatchObject({ class: "infra", error: "Step 2 of its Dockerfile failed.", evidence: [{ kind: "build", lasting: true }] });

  asked.length = 0;
  const mended = await bench(await fixtureRequest([separate], { sandbox: "local-unsafe" }), watching(false), { retryMs: 1 });
  expect(mended).toMatchObject({ recorded: 1, unscored: 0 });
  expect(asked).toEqual(["write-out", "theirs", "agent"]);
});
