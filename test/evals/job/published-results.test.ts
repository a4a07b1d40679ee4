import { appendFile, copyFile, cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sumsText } from "../../../harness/archive/sha256-sums.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { jobOverview } from "../../../evals/job/job-overview.ts";
import { trialsOf } from "../../../evals/job/results/trials-of.ts";
import { regradeJob } from "../../../evals/regrade/regrade-job.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch, tellNoHashes } from "../bench-fixture.ts";

afterAll(removeScratch);

/** A job of two trials in which the second fails. */
const tasks = [await fixtureTask({ name: "good" }), await fixtureTask({ name: "bad", solve: "true\n" })];
const request = await fixtureRequest(tasks);
await bench(request, await benchPorts());

/** A copy of it, and what asks for it again. */
async function finished() {
  const folder = join(await scratch(), "job");
  await cp(request.out ?? "", folder, { recursive: true });
  const bad = join(folder, "trials/bad/plain/1");
  const again = async () => bench({ ...request, out: folder }, await benchPorts());
  return { folder, bad, result: join(bad, "result.json"), record: join(bad, "attempt-1/record.json"), again };
}
const replace = async (path: string, from: string, to: string): Promise<void> => {
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
};
const raise = (text: string): string =>
  text
    .replace('"agent",\n', '"passed",\n')
    .replace('"reward": 0', '"reward": 1')
    .replace('"score": 0,\n  "passed": false', '"score": 1,\n  "passed": true');

describe("a result that was changed by hand", () => {
  it("is refused where a job is read and where it goes on, with the file, both hashes and what to do", async () => {
    const { folder, result, again } = await finished();
    await writeFile(result, raise(await readFile(result, "utf8")));
    const refused = {
      exitCode: 4,
      message: expect.stringMatching(
        /bad\/plain\/1\/result\.json was changed after it was written: its SHA-256 begins with \w{12}, and the job's journal has \w{12}; restore it/,
      ) as unknown,
    };
    await expect(trialsOf(folder)).rejects.toMatchObject(refused);
    await expect(again()).rejects.toMatchObject(refused);
  });

  it("is refused with another attempt's number, as another trial's, and with the record of its attempt changed alike", async () => {
    const { folder, result, record } = await finished();
    const was = await readFile(result);
    await replace(result, '"attempt": 1', '"attempt": 2');
    await expect(trialsOf(folder)).rejects.toThrow(/is not what attempt 2 recorded/);
    await copyFile(join(folder, "trials/good/plain/1/result.json"), result);
    await expect(trialsOf(folder)).rejects.toThrow(/is the result of good, plain, repeat 1, which belongs elsewhere/);
    for (const path of [result, record]) await writeFile(path, raise(String(was)));
    await expect(trialsOf(folder)).rejects.toThrow(/was changed after it was written/);
  });

  it("is refused as another trial's where the journal tells nothing and both would have the same key", async () => {
    const folder = join(await scratch(), "job");
    const twins = [await fixtureTask({ name: "one" }), await fixtureTask({ name: "two", solve: "true\n" })].map((task) => ({
      ...task,
      digest: "0".repeat(64),
    }));
    const asked = await fixtureRequest(twins, { out: folder });
    await bench(asked, await benchPorts());
    await tellNoHashes(folder);
    for (const file of ["result.json", "attempt-1/record.json"])
      await copyFile(join(folder, "trials/one/plain/1", file), join(folder, "trials/two/plain/1", file));
    await expect(bench(asked, await benchPorts())).rejects.toThrow(/is the result of one, plain, repeat 1, which belongs elsewhere/);
  });

  it("leaves the job as finished as it was: a run that was refused was none", async () => {
    const { folder, result, again } = await finished();
    await writeFile(result, raise(await readFile(result, "utf8")));
    await expect(again()).rejects.toThrow("was changed after it was written");
    expect(await jobOverview(folder)).toMatchObject({ status: "finished" });
  });

  it("is not published again from a record that was changed", async () => {
    const { result, record, again } = await finished();
    await rm(result);
    await writeFile(record, raise(await readFile(record, "utf8")));
    await expect(again()).rejects.toThrow(/attempt-1\/record\.json was changed after it was written/);
  });

  it("is caught by the attempt's record in a job of an older version, where that is only written in another order it is not", async () => {
    const { folder, result } = await finished();
    await tellNoHashes(folder);
    const was = await readFile(result, "utf8");
    const entries = Object.entries(JSON.parse(was) as object);
    await writeFile(result, JSON.stringify(Object.fromEntries(entries.toReversed())));
    expect(await trialsOf(folder)).toHaveLength(2);
    await writeFile(result, raise(was));
    await expect(trialsOf(folder)).rejects.toThrow(/is not what attempt 1 recorded/);
  });

  it("is refused where the job goes on although the journal was changed too, by a line or as a whole", async () => {
    const { folder, result, again } = await finished();
    const journal = join(folder, "journal.jsonl");
    const lines = (await readFile(journal, "utf8")).split("\n");
    await writeFile(result, raise(await readFile(result, "utf8")));
    await writeFile(journal, lines.filter((line) => !(line.includes('"attempt.end"') && line.includes('"bad"'))).join("\n"));
    await expect(again()).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/is not what attempt 1 recorded/) as unknown,
    });
    await rm(journal);
    await expect(again()).rejects.toThrow(/bad\/plain\/1\/result\.json is not what attempt 1 recorded/);
    await rm(result);
    expect((await again()).configurations).toMatchObject([{ passed: 1 }]);
  });

  it("is caught by the sums of an archive that was unpacked, where the journal tells nothing", async () => {
    const { folder, bad, result } = await finished();
    await tellNoHashes(folder);
    await rm(join(bad, "attempt-1"), { recursive: true });
    const bytes = await readFile(result);
    await writeFile(join(folder, "SHA256SUMS"), sumsText([{ path: "trials/bad/plain/1/result.json", sha256: sha256(bytes) }]));
    expect(await trialsOf(folder)).toHaveLength(2);
    await writeFile(result, raise(String(bytes)));
    await expect(trialsOf(folder)).rejects.toThrow(/the SHA256SUMS beside the job's lock.json has \w{12}/);
    await writeFile(join(folder, "SHA256SUMS"), "nonsense\n");
    await expect(trialsOf(folder)).rejects.toThrow(/SHA256SUMS is damaged: .* Unpack the archive again/);
  });

  it("is caught in the results of a regrade too", async () => {
    const { folder } = await finished();
    const regraded = await regradeJob({ job: folder, tasks }, await benchPorts(), { signal: new AbortController().signal });
    expect(await trialsOf(regraded.folder)).toHaveLength(2);
    await replace(join(regraded.folder, "trials/bad/plain/1/result.json"), '"turns": ', '"turns": 1');
    await expect(trialsOf(regraded.folder)).rejects.toThrow(/the SHA256SUMS beside the job's lock.json has/);
  });
});

describe("a result whose line a crash took", () => {
  it("counts as its attempt recorded it", async () => {
    const { folder, again } = await finished();
    const journal = join(folder, "journal.jsonl");
    const lines = (await readFile(journal, "utf8")).split("\n");
    await writeFile(journal, lines.filter((line) => !(line.includes('"attempt.end"') && line.includes('"bad"'))).join("\n"));
    expect(await trialsOf(folder)).toHaveLength(2);
    expect(await again()).toMatchObject({ recorded: 2 });
  });

  it.each([
    ["with it", (line: string) => line.includes('"attempt.end"') && line.includes('"bad"')],
    ["alone", () => false],
  ])("and that went %s is published byte for byte, and told", async (_, lost) => {
    const { folder, result, again } = await finished();
    const was = await readFile(result);
    const journal = join(folder, "journal.jsonl");
    const lines = (await readFile(journal, "utf8")).split("\n");
    await writeFile(journal, lines.filter((line) => !lost(line)).join("\n"));
    await rm(result);
    expect(await again()).toMatchObject({ recorded: 2 });
    expect(await readFile(result)).toEqual(was);
    expect(await trialsOf(folder)).toHaveLength(2);
    await appendFile(result, "\n");
    await expect(trialsOf(folder)).rejects.toThrow(/the job's journal has/);
  });

  it("of a trial that was taken away and run again is the new one's", async () => {
    const { folder, bad, again } = await finished();
    await rm(bad, { recursive: true });
    expect(await again()).toMatchObject({ recorded: 2 });
    expect(await trialsOf(folder)).toHaveLength(2);
  });
});

describe("a record that contradicts itself", () => {
  it.each([
    ["score 7 with a reward of 0", '"score": 0,\n  "passed": false', '"score": 7,\n  "passed": true'],
    ["passed true with a score of 0", '"passed": false', '"passed": true'],
    ["class passed with passed false", '"class": "agent"', '"class": "passed"'],
    ["class infra with passed false", '"class": "agent"', '"class": "infra"'],
    ["score 0 with a reward of 1", '"reward": 0', '"reward": 1'],
    ["is not the record of a trial", '"score": 0,\n  "passed"', '"score": 1e999,\n  "passed"'],
  ])("is damaged, whatever hashes there are: %s", async (says, from, to) => {
    const { folder, bad, result } = await finished();
    await replace(result, from, to);
    await tellNoHashes(folder);
    await copyFile(result, join(bad, "attempt-1/record.json"));
    await expect(trialsOf(folder)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining(says) as unknown });
  });
});
