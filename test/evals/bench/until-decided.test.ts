import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { compare } from "../../../evals/compare/compare.ts";
import { loadJob } from "../../../evals/job/results/load-job.ts";
import { jobOverview } from "../../../evals/job/job-overview.ts";
import type { Task } from "../../../tasks/task.ts";
import { edit, failing, forge, signal, verify } from "../archive/archive-fixture.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 300_000 });

/** Each a family by itself. */
const tasks = (n: number): Promise<Task[]> =>
  Promise.all(
    Array.from({ length: n }, async (_, i) => {
      const task = await fixtureTask({ name: `t${i}`, files: { "in.txt": `${i}\n` } });
      return { ...task, metadata: { ...task.metadata, family: `f${i}` } };
    }),
  );
/** The solution works for every configuration; of `idle` nothing is left of it. */
async function ports(): Promise<BenchPorts> {
  const real = await benchPorts();
  return {
    ...real,
    async run(trial) {
      const run = await real.run(trial);
      if (trial.config.name === "idle") await trial.sandbox.exec("rm -f out.txt");
      return run;
    },
  };
}
const request = async (all: Task[], change: Partial<BenchRequest> = {}): Promise<BenchRequest> =>
  fixtureRequest(all, {
    configurations: [fixtureConfig("idle"), fixtureConfig("able", { limits: { turns: 9 } })],
    untilDecided: true,
    mode: "official",
    jobs: 2,
    ...change,
  });
const journalOf = (folder: string): Record<string, unknown>[] =>
  readFileSync(join(folder, "journal.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>); // written by this very code

describe("a bench until it is decided", () => {
  it("stops when its comparisons are, says what and where, goes on where it was interrupted, and is no sample for another question", async () => {
    const all = await tasks(17);
    const asked = await request(all);
    const events: BenchEvent[] = [];
    const stop = new AbortController();
    let ended = 0;
    const stopped = await bench(asked, await ports(), {
      stop: stop.signal,
      onEvent: (event) => event.type === "trial.end" && ++ended === 5 && stop.abort(),
    });
    expect(stopped).toMatchObject({ status: "stopped", decided: [{ better: null, threshold: null, planned: 17 }] });
    const result = await bench(asked, await ports(), { onEvent: (event) => events.push(event) });
    expect(result.status).toBe("decided");
    expect(result.decided).toMatchObject([
      { a: "idle", b: "able", better: "able", pairs: 15, planned: 17, threshold: 20, difference: { value: 1, high: 1 } },
    ]);
    const { folder, recorded } = result;
    expect(recorded).toBeGreaterThanOrEqual(30);
    expect(recorded).toBeLessThan(34);
    expect(events.flatMap((event) => (event.type === "job.decision" ? [`${event.decision.better} ${event.decision.pair}`] : []))).toEqual([
      "able 15",
    ]);
    expect(events.some((event) => event.type === "job.stop" && event.reason === "decided")).toBe(true);
    expect(journalOf(folder).filter(({ t }) => t === "decision")).toMatchObject([{ a: "idle", b: "able", better: "able", pair: 15 }]);
    const again = await bench(asked, await ports());
    expect([again.recorded, again.status, again.decided]).toEqual([recorded, "decided", result.decided]);
    expect((await jobOverview(folder)).status).toBe("decided");

    const job = await loadJob(folder);
    const comparison = compare([job]);
    expect(comparison.shortcomings).toEqual([]);
    const [pair] = comparison.pairs;
    expect(pair?.verdict.text).toMatch(
      /^Stopped early, after 15 of 17 tasks: able is better than idle by 100 points \(95 % interval at any time \d+ to 100, p .*Exploratory/,
    );
    expect(pair?.readings[0]).toMatchObject({ test: "e-process", tasks: 15, thisSuite: null });
    const archive = join(folder, "..", "decided.tar.gz");
    await exportJob({ job: folder, out: archive, forgeVersion: "0.1.0" }, { signal });
    expect(failing(await verify(archive))).toEqual([]);
    const forged = (change: Parameters<typeof forge>[2]) =>
      forge(archive, join(folder, "..", "forged.tar.gz"), change).then((path) => verify(path));
    const other15 = await forged((files) =>
      edit(files, "result.json", (value) => void Object.assign(value["decided"]?.[0] ?? {}, { pairs: 14 })),
    );
    expect(failing(other15)).toEqual(["counts"]);
    const last = result.decided?.[0]?.task ?? "";
    const lacking = await forged((files) => {
      for (const path of files.keys()) if (path.startsWith(`trials/${last}/`)) files.delete(path);
    });
    expect(failing(lacking)).toContain("trials");

    const other = { ...job, folder: "jobs/other", lock: { ...job.lock, untilDecided: undefined } };
    expect(compare([job, other]).notComparable).toMatch(/ran with --until-decided, so its own results decided when it ended/);
    expect(() => compare([job], { baseline: "able" })).toThrow(
      /--baseline: .* ran with --until-decided, and able and idle were not looked at; it compares able with idle\.$/,
    );
    await expect(bench({ ...asked, repeats: 2 }, await ports())).rejects.toThrow(
      /cannot be resumed.*what --until-decided looks at: 17 tasks × 1 repeat, 1 comparison .* → 17 tasks × 2 repeats/,
    );
    await expect(bench({ ...asked, untilDecided: false }, await ports())).rejects.toThrow(
      /what --until-decided looks at: 17 tasks .* → none/,
    );
  });

  it("refuses too few tasks, and a single configuration", async () => {
    const all = await tasks(15);
    await expect(bench(await request(all.slice(1)), await ports())).rejects.toThrow(
      /the suite has 14 tasks, and nothing is decided on fewer than 15/,
    );
    const related = all.map((task, i) => ({ ...task, metadata: { ...task.metadata, family: `f${i % 7}` } }));
    await expect(bench(await request(related), await ports())).rejects.toThrow(
      /the suite's tasks are of 7 families, and nothing is decided on fewer than 8; take a larger suite/,
    );
    await expect(bench(await request(all, { configurations: [fixtureConfig()] }), await ports())).rejects.toThrow(
      /needs two configurations or more/,
    );
  });
});
