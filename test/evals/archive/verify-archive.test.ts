import { generateKeyPairSync } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import { exportJob } from "../../../evals/archive/export-job.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";
import { edit, failing, forge, openArchive, says, signal, unchecked, verify, writeEntries } from "./archive-fixture.ts";
import { draws } from "../../needs.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
let job = "";
let folder = "";
let plain = "";
let signed = "";
beforeAll(async () => {
  const tasks = [await fixtureTask({ name: "one" }), await fixtureTask({ name: "two", solve: "echo wrong > out.txt" })];
  const request = await fixtureRequest(tasks, { configurations: [fixtureConfig("a"), fixtureConfig("b")] });
  job = (await bench(request, await benchPorts())).folder;
  folder = await scratch();
  [plain, signed] = [join(folder, "plain.tar.gz"), join(folder, "signed.tar.gz")];
  await exportJob({ job, out: plain, forgeVersion: "0.1.0" }, { signal });
  await exportJob({ job, out: signed, key: privateKey, forgeVersion: "0.1.0" }, { signal });
});
afterAll(removeScratch);

describe("an archive", () => {
  it("holds, and says what it could not look at", async () => {
    const { ok, checks } = await verify(signed, { key: publicKey });
    expect(checks.filter(({ state }) => state === "fails")).toEqual([]);
    expect(ok).toBe(true);
    expect(checks.filter(({ state }) => state === "holds").map(({ name }) => name)).toEqual(
      "archive files signature signer contents lock trials keys traces records deltas journal counts table".split(" "),
    );
    expect(unchecked(await verify(plain))).toEqual(["signature", "rewards"]);
    expect(unchecked(await verify(signed))).toEqual(["signer", "rewards"]);
  });

  it("is the same, byte for byte, for the same job", async () => {
    const again = join(folder, "again.tar.gz");
    await exportJob({ job, out: again, key: privateKey, forgeVersion: "0.1.0" }, { signal });
    expect((await readFile(again)).equals(await readFile(signed))).toBe(true);
  });

  it("in which one byte was changed does not hold, wherever that is in the tar", async () => {
    const whole = gunzipSync(await readFile(signed));
    const path = join(folder, "flipped.tar.gz");
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] ?? 0) ^ by;
        await writeFile(path, gzipSync(flipped, { level: 1 }));
        expect((await verify(path)).ok, `byte ${at} ^ ${by}`).toBe(false);
      }),
      { numRuns: draws(40) },
    );
  });

  it("in which one byte of the packed file was changed does not hold, or unpacks to the very same", async () => {
    const whole = await readFile(signed);
    const path = join(folder, "flipped.tar.gz");
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.nat(whole.length - 1),
          fc.nat(20),
          fc.nat(12).map((n) => whole.length - 1 - n),
        ),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const flipped = Buffer.from(whole);
          flipped[at] = (flipped[at] ?? 0) ^ by;
          await writeFile(path, flipped);
          const { ok } = await verify(path);
          const same = ok && gunzipSync(flipped).equals(gunzipSync(whole));
          expect(same, `byte ${at} ^ ${by}`).toBe(ok);
        },
      ),
      { numRuns: draws(40) },
    );
  });

  it("that was cut off, lengthened or doubled does not hold", async () => {
    const whole = await readFile(plain);
    const path = join(folder, "other.tar.gz");
    const others = [
      Buffer.alloc(0),
      whole.subarray(0, 1),
      whole.subarray(0, whole.length - 1),
      Buffer.concat([whole, Buffer.from("x")]),
      Buffer.concat([whole, Buffer.alloc(512)]),
      Buffer.concat([whole, whole]),
      gzipSync(Buffer.concat([gunzipSync(whole), Buffer.alloc(512)])),
      gzipSync(gunzipSync(whole).subarray(0, -512)),
      Buffer.from("not an archive"),
      gzipSync("not a tar"),
    ];
    for (const [i, other] of others.entries()) {
      await writeFile(path, other);
      expect(failing(await verify(path)), String(i)).toEqual(["archive"]);
    }
  });

  it("leaves nothing behind when it was verified, held or not, or when that was ended", async () => {
    const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(`forge-verify-${process.pid}-`));
    await verify(plain);
    await verify(await forge(plain, join(folder, "f.tar.gz"), (files) => void files.delete("journal.jsonl")));
    const stop = new AbortController();
    const ended = verify(
      plain,
      {},
      { signal: stop.signal, onProgress: (what) => void (what === "checking" && stop.abort(new Error("interrupted"))) },
    );
    await expect(ended).rejects.toThrow("interrupted");
    expect(left()).toEqual([]);
  });
});

describe("a signature", () => {
  it("by another key than the expected one does not hold, nor does a missing one", async () => {
    const other = generateKeyPairSync("ed25519");
    expect(failing(await verify(signed, { key: other.publicKey }))).toEqual(["signer"]);
    expect(failing(await verify(plain, { key: publicKey }))).toEqual(["signature"]);
  });

  it("taken from another archive, or off one, does not hold", async () => {
    const foreign = join(folder, "foreign.tar.gz");
    await exportJob({ job, out: foreign, key: privateKey, forgeVersion: "9.9.9" }, { signal });
    const [mine, theirs] = [await openArchive(signed), await openArchive(foreign)];
    const out = join(folder, "swapped.tar.gz");
    mine.files.set("signature.json", theirs.files.get("signature.json") ?? Buffer.alloc(0));
    const entries = (): [{ name: string }, Buffer][] => [...mine.files].map(([path, content]) => [{ name: mine.prefix + path }, content]);
    await writeEntries(out, entries());
    expect(failing(await verify(out))).toEqual(["signature"]);
    mine.files.delete("signature.json");
    await writeEntries(out, entries());
    expect(failing(await verify(out))).toEqual(["archive"]);
  });
});

describe("an archive whose hashes were all made anew", () => {
  const trial = "trials/two/a/1";
  const attempt = `${trial}/attempt-1`;
  type Change = Parameters<typeof forge>[2];
  const raise = (value: object): void => void Object.assign(value, { class: "passed", score: 1, passed: true, rewards: { reward: 1 } });
  const cases: Record<string, [change: Change, found: string[]]> = {
    "holds where nothing was changed": [() => undefined, []],
    "does not hold with a better result": [(files) => edit(files, `${trial}/result.json`, raise), ["trials"]],
    "does not hold with a better result and record": [
      (files) => {
        edit(files, `${trial}/result.json`, raise);
        edit(files, `${attempt}/record.json`, raise);
      },
      ["records", "journal", "counts", "table"],
    ],
    "does not hold with a failure told as the machinery's": [
      (files) => {
        const aside = (value: object): void => void Object.assign(value, { class: "infra", score: null, passed: null, rewards: null });
        edit(files, `${trial}/result.json`, aside);
        edit(files, `${attempt}/record.json`, aside);
        const told = (line: string): string =>
          line.includes('"task":"two","configuration":"a"')
            ? line.replace('"class":"agent","passed":false', '"class":"infra","passed":null')
            : line;
        files.set("journal.jsonl", Buffer.from(String(files.get("journal.jsonl")).split("\n").map(told).join("\n")));
      },
      ["records", "counts", "table"],
    ],
    "does not hold with a better verdict in the trace": [
      (files) => {
        const at = `${attempt}/trace.jsonl`;
        files.set(at, Buffer.from(String(files.get(at)).replace('"score":0,"passed":false', '"score":1,"passed":true')));
      },
      ["traces"],
    ],
    "does not hold with fewer tokens": [
      (files) => {
        const fewer = (value: object): void => void Object.assign(value, { turns: 0 });
        edit(files, `${trial}/result.json`, fewer);
        edit(files, `${attempt}/record.json`, fewer);
      },
      ["records", "counts", "table"],
    ],
    "does not hold with other counts": [
      (files) => edit(files, "result.json", (value) => void Object.assign(value["configurations"]?.[0] ?? {}, { passed: 2, failed: 0 })),
      ["counts"],
    ],
    "does not hold with another table": [(_, manifest) => void Object.assign(manifest.table, { invalid: true }), ["table"]],
    "does not hold with another journal": [
      (files) => files.set("journal.jsonl", Buffer.from(String(files.get("journal.jsonl")).replace('"class":"agent"', '"class":"passed"'))),
      ["journal"],
    ],
    "does not hold with another harness": [
      (files) =>
        edit(
          files,
          "lock.json",
          (value) => void Object.assign(value["configurations"]?.["a"]?.["config"]?.["limits"] ?? {}, { turns: 99 }),
        ),
      ["lock"],
    ],
    "does not hold with other tasks": [
      (files) => edit(files, "lock.json", (value) => void Object.assign(value["tasks"]?.["one"] ?? {}, { digest: "0".repeat(64) })),
      ["keys"],
    ],
    "does not hold without a trial": [
      (files) => {
        for (const path of files.keys()) if (path.startsWith(`${trial}/`)) files.delete(path);
      },
      ["trials", "journal"],
    ],
    "does not hold without a trial that the lock does not name either": [
      (files) => {
        for (const path of files.keys()) if (path.startsWith("trials/two/")) files.delete(path);
        edit(files, "lock.json", (value) => void delete value["tasks"]?.["two"]);
      },
      ["contents", "journal", "counts", "table"],
    ],
    "does not hold with a trial of nothing": [
      (files) => void files.set("trials/three/a/1/attempt-1/record.json", Buffer.from("{}")),
      ["contents"],
    ],
    "does not hold with a blob of nothing": [(files) => void files.set(`blobs/00/${"0".repeat(64)}`, Buffer.from("x")), ["contents"]],
    "does not hold without a seal": [(files) => void files.delete(`${attempt}/seal.json`), ["traces"]],
    "does not hold without a trace": [(files) => void files.delete(`${attempt}/trace.jsonl`), ["traces"]],
    "does not hold without a delta": [(files) => void files.delete(`${attempt}/delta.json`), ["deltas"]],
    "does not hold without a lock": [(files) => void files.delete("lock.json"), ["lock"]],
    "does not hold without a result": [(files) => void files.delete("result.json"), ["counts"]],
    "does not hold with a lock that names trials without end": [
      (files) => edit(files, "lock.json", (value) => void Object.assign(value, { repeats: 1e12 })),
      ["lock"],
    ],
    "does not hold with a result that is no JSON": [
      (files) => void files.set(`${trial}/result.json`, Buffer.from("[".repeat(500_000))),
      ["trials"],
    ],
  };
  it.each(Object.entries(cases))("%s", async (_, [change, found]) => {
    const verification = await verify(await forge(plain, join(folder, "forged.tar.gz"), change));
    expect(failing(verification), JSON.stringify(verification.checks, null, 1)).toEqual(found);
    expect(verification.ok).toBe(found.length === 0);
  });

  it("runs nothing of one that holds what is of no trial", async () => {
    const ran: string[] = [];
    const rewards = async (at: string): Promise<[]> => (ran.push(at), []);
    const strange = await forge(
      plain,
      join(folder, "strange.tar.gz"),
      (files) => void files.set(`blobs/00/${"0".repeat(64)}`, Buffer.from("x")),
    );
    const verification = await verify(strange, {}, { rewards });
    expect([failing(verification), unchecked(verification).includes("rewards"), ran]).toEqual([["contents"], true, []]);
    await verify(plain, {}, { rewards });
    expect(ran).toHaveLength(1);
  });

  it("names no private folder, however many things do not hold", async () => {
    const broken = await forge(plain, join(folder, "broken.tar.gz"), (files) => {
      for (const path of files.keys()) if (path.endsWith("/delta.json")) files.set(path, Buffer.from("no JSON"));
    });
    const { checks } = await verify(broken);
    const more = checks.flatMap((check) => check.more ?? []);
    expect(more.length).toBeGreaterThan(0);
    expect(JSON.stringify(checks)).not.toContain("forge-verify-");
  });

  it("names the trial and both values", async () => {
    const path = await forge(plain, join(folder, "forged.tar.gz"), (files) => {
      for (const at of [`${trial}/result.json`, `${attempt}/record.json`])
        edit(files, at, (value) => void Object.assign(value, { seed: 7 }));
    });
    expect(says(await verify(path), "keys")).toMatch(/^two, a, repeat 1: seed 7, and the lock makes \d+$/);
  });
});
