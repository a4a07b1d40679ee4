import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Check } from "../../../evals/archive/check/findings.ts";
import { checkRewards, type RewardsRequest } from "../../../evals/archive/check/check-rewards.ts";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { TraceLine } from "../../../harness/events/schema.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { formatLine, laneDigest } from "../../../traces/format/line.ts";
import { writeSeal } from "../../../traces/format/seal.ts";
import { needs } from "../../needs.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";
import { signal, verify, type Tree } from "./archive-fixture.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy
afterAll(removeScratch);

/** Two trials, of which the second fails, and the archive of their job. */
async function jobOf(tasks: Task[]): Promise<string> {
  return (await bench(await fixtureRequest(tasks), await benchPorts())).folder;
}
async function archiveOf(job: string): Promise<string> {
  const out = join(await scratch(), "job.tar.gz");
  await exportJob({ job, out, forgeVersion: "0.1.0" }, { signal });
  return out;
}
async function rewards(archive: string, tasks: readonly Task[], o: Partial<RewardsRequest> = {}): Promise<readonly Check[]> {
  const ports = await benchPorts();
  const { checks } = await verify(
    archive,
    {},
    { rewards: (folder, job) => checkRewards({ folder, job, tasks, whyNone: "no tasks are here", ...o }, ports, { signal }) },
  );
  expect(checks.filter(({ name, state }) => name !== "rewards" && state === "fails")).toEqual([]);
  return checks.filter(({ name }) => name === "rewards");
}

async function editFile(path: string, change: (value: Tree) => void): Promise<void> {
  const value = JSON.parse(await readFile(path, "utf8")) as Tree;
  change(value);
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Lets a failed trial pass, everywhere where that is written, with all hashes and the seal made anew. */
async function fakePass(job: string, trial: string): Promise<void> {
  const attempt = join(job, trial, "attempt-1");
  const lines = (await readFile(join(attempt, "trace.jsonl"), "utf8")).trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as TraceLine);
  const [last, before] = [events.at(-1), events.at(-2)];
  if (last?.t !== "verifier.result" || before?.t !== "fs.snapshot") throw new Error("another end of a trace than this test knows");
  const data = JSON.stringify({ ...last.d, rewards: { reward: 1 }, score: 1, passed: true });
  const { line, hash } = formatLine(last, {
    seq: last.seq,
    ts: last.ts,
    dt: last.dt,
    data,
    s: laneDigest(before.s, last, data),
    prev: before.h,
  });
  const text = `${[...lines.slice(0, -1), line].join("\n")}\n`;
  await writeFile(join(attempt, "trace.jsonl"), text);
  const seal = JSON.parse(await readFile(join(attempt, "seal.json"), "utf8")) as { workspace: string };
  writeSeal(attempt, { count: events.length, bytes: Buffer.byteLength(text), head: hash, workspace: seal.workspace });
  for (const path of [join(job, trial, "result.json"), join(attempt, "record.json")])
    await editFile(path, (value) => void Object.assign(value, { class: "passed", score: 1, passed: true, rewards: { reward: 1 } }));
  await editFile(join(job, "result.json"), (value) => void Object.assign(value["configurations"]?.[0] ?? {}, { passed: 2, failed: 0 }));
  const journal = await readFile(join(job, "journal.jsonl"), "utf8");
  const told = sha256(await readFile(join(job, trial, "result.json")));
  const passed = journal.replace(/"class":"agent","passed":false,"sha256":"\w+"/, `"class":"passed","passed":true,"sha256":"${told}"`);
  await writeFile(join(job, "journal.jsonl"), passed);
}

describe("rewards verified again", () => {
  let tasks: Task[] = [];
  let job = "";
  let archive = "";
  beforeAll(async () => {
    tasks = [await fixtureTask({ name: "good" }), await fixtureTask({ name: "bad", solve: "echo wrong > out.txt" })];
    job = await jobOf(tasks);
    archive = await archiveOf(job);
  });

  it("run nothing of an archive unconfined without the user's word", async () => {
    expect(await rewards(archive, tasks)).toMatchObject([
      { state: "unchecked", says: expect.stringMatching(/unconfined.*--sandbox bubblewrap/) as unknown },
    ]);
  });

  it("find nothing in an honest job", async () => {
    expect(await rewards(archive, tasks, { sandbox: "local-unsafe" })).toMatchObject([
      { state: "holds", says: expect.stringMatching(/^2 verified again/) as unknown },
    ]);
  });

  it.skipIf(needs("bubblewrap"))(
    "hold for a verifier with an environment of its own, whose artifacts travel with their modes and links",
    async () => {
      const separate = async (name: string, more: string): Promise<Task> => {
        const test = 'if [ "$(cat out/text)" = done ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt';
        const { folder } = await fixtureTask({ name, solve: `mkdir out; echo done > out/text; ${more}`, test });
        const toml = await readFile(join(folder, "task.toml"), "utf8");
        const asks = '[verifier]\nenvironment_mode = "separate"';
        await writeFile(join(folder, "task.toml"), `artifacts = ["/app/out"]\n${toml.replace("[verifier]", asks)}`);
        return loadTask(folder, { own: true });
      };
      const both = [
        await separate("plain-files", "echo more > out/more"),
        await separate("programs", "chmod +x out/text; ln -s text out/near"),
      ];
      const { folder, configurations } = await bench(await fixtureRequest(both, { sandbox: "bubblewrap" }), await benchPorts());
      expect(configurations).toMatchObject([{ passed: 2 }]);
      expect(await rewards(await archiveOf(folder), both)).toMatchObject([
        { state: "holds", says: expect.stringMatching(/^2 verified again/) as unknown },
      ]);
    },
  );

  it("name what could not be verified: tasks that are not here, or are others", async () => {
    expect(await rewards(archive, [], { sandbox: "local-unsafe" })).toEqual([
      { name: "rewards", state: "unchecked", says: "no tasks are here" },
    ]);
    const other = await fixtureTask({ name: "bad", files: { "other.txt": "" } });
    expect(await rewards(archive, [other], { sandbox: "local-unsafe" })).toMatchObject([
      { state: "unchecked", says: expect.stringContaining("task") as unknown },
      { state: "unchecked", says: expect.stringContaining("task") as unknown },
    ]);
  });

  it.skipIf(needs("bubblewrap"))("find a pass that was made up, where every hash, the trace and the counts agree with it", async () => {
    const forged = await jobOf(tasks);
    await fakePass(forged, "trials/bad/plain/1");
    const made = await archiveOf(forged);
    expect((await verify(made)).ok).toBe(true);
    expect(await rewards(made, tasks, { sandbox: "bubblewrap" })).toMatchObject([
      { state: "fails", says: expect.stringMatching(/^bad, plain, repeat 1: the score was 1, and verified again it is 0/) as unknown },
    ]);
  });
});
