import { generateKeyPairSync } from "node:crypto";
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { exportJob, type ExportedJob, type ExportRequest } from "../../../evals/archive/export-job.ts";
import { readPrivateKey, readPublicKey } from "../../../evals/archive/signature.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { lockRunner } from "../../../evals/job/runner-lock.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { simulatedFingerprint } from "../../../harness/models/simulated/fingerprint.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";
import { openArchive, signal, verify } from "./archive-fixture.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

let made = "";
beforeAll(async () => {
  made = (await bench(await fixtureRequest([await fixtureTask()]), await benchPorts())).folder;
});
afterAll(removeScratch);

/** A copy of the job, to be changed. */
async function copied(): Promise<{ job: string; folder: string }> {
  const folder = await scratch();
  await cp(made, join(folder, "job"), { recursive: true });
  return { job: join(folder, "job"), folder };
}
async function exported(job: string, folder: string, change: Partial<ExportRequest> = {}): Promise<ExportedJob> {
  return exportJob({ job, out: join(folder, "out.tar.gz"), forgeVersion: "0.1.0", ...change }, { signal });
}
const attempt = "trials/write-out/plain/1/attempt-1";

describe("exporting a job", () => {
  it("takes along what the job is made of, and says what it leaves", async () => {
    const { job, folder } = await copied();
    await mkdir(join(job, "regrades", "x"), { recursive: true });
    await mkdir(join(job, "unfinished", "x"), { recursive: true });
    await mkdir(join(job, attempt, "artifacts"), { recursive: true });
    await writeFile(join(job, attempt, "artifacts", "line\nbreak"), "kept");
    await writeFile(join(job, attempt, "artifacts", "ünï"), "kept");
    await symlink("/etc/passwd", join(job, attempt, "artifacts", "link"));
    await writeFile(join(job, "notes.txt"), "mine");
    for (const folder of ["trials/zz", "trials/write-out/plain/1/attempt-9", "blobs/zz"]) {
      await mkdir(join(job, folder));
      await writeFile(join(job, folder, "y"), "strange");
    }
    await writeFile(join(job, "trials/write-out/plain/z"), "strange");
    const written = await exported(job, folder);
    expect(written.leftOut.map(({ path }) => path).toSorted()).toEqual(
      [
        "blobs/zz",
        "notes.txt",
        "regrades",
        "runner.1.json",
        "trials/write-out/plain/1/attempt-9",
        "trials/write-out/plain/z",
        "trials/zz",
        `${attempt}/artifacts/link`,
        "unfinished",
      ].toSorted(),
    );
    const { files } = await openArchive(written.out);
    for (const path of [
      "config.json",
      "lock.json",
      "journal.jsonl",
      "result.json",
      `${attempt}/trace.jsonl`,
      `${attempt}/seal.json`,
      `${attempt}/delta.json`,
    ])
      expect(files.get(path)?.equals(await readFile(join(job, path))), path).toBe(true);
    expect([...files.keys()].filter((path) => path.startsWith("blobs/"))).toHaveLength(1);
    expect([files.get(`${attempt}/artifacts/line\nbreak`), files.get(`${attempt}/artifacts/ünï`)].map(String)).toEqual(["kept", "kept"]);
    expect(written).toMatchObject({ files: files.size - 2, sha256: sha256(await readFile(written.out)), signer: null });
    expect((await verify(written.out)).ok).toBe(true);
  });

  it("gives the same bytes wherever the job lies, on every system and at any time", async () => {
    const [one, two] = [await copied(), await copied()];
    const archives = [await exported(one.job, one.folder), await exported(two.job, two.folder)];
    expect(archives[0]?.sha256).toBe(archives[1]?.sha256);
    const bytes = await readFile(archives[0]?.out ?? "");
    expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    expect(gunzipSync(bytes).subarray(136, 148).toString()).toBe("00000000000 ");
  });

  it("writes over no file, and leaves nothing of an archive that did not come about", async () => {
    const { job, folder } = await copied();
    await writeFile(join(folder, "out.tar.gz"), "mine");
    await expect(exported(job, folder)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("already exists") as unknown,
    });
    expect(await readFile(join(folder, "out.tar.gz"), "utf8")).toBe("mine");
    await rm(join(folder, "out.tar.gz"));
    const stop = new AbortController();
    const ended = exportJob(
      { job, out: join(folder, "out.tar.gz"), forgeVersion: "0.1.0" },
      { signal: stop.signal, onProgress: (what) => void (what === "writing" && stop.abort(new Error("interrupted"))) },
    );
    await expect(ended).rejects.toThrow("interrupted");
    await expect(exported(job, join(folder, "nowhere"))).rejects.toThrow("ENOENT");
    expect(await readdir(folder)).toEqual(["job"]);
  });

  it("refuses a job that somebody works on, one that is not finished, and a folder that is none", async () => {
    const { job, folder } = await copied();
    const lock = await lockRunner(job, { clock: systemClock });
    await expect(exported(job, folder)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(`is being worked on by process ${process.pid}`) as unknown,
    });
    await lock.release();
    await appendFile(join(job, "journal.jsonl"), '{"t":"job.open","ts":1}\n');
    await expect(exported(job, folder)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/is not finished \(interrupted, 1 of 1 trial recorded\); .*forge jobs resume/) as unknown,
    });
    await expect(exported(folder, folder)).rejects.toMatchObject({ exitCode: 3 });
    expect(await readdir(folder)).toEqual(["job"]);
  });

  it.each([
    ["a result", "trials/write-out/plain/1/result.json", '"passed": true', '"passed": false'],
    ["a trace", `${attempt}/trace.jsonl`, '"score":1', '"score":2'],
    ["a seal", `${attempt}/seal.json`, '"count":', '"count":1'],
    ["the lock", "lock.json", '"mode": "hardened"', '"mode": "official"'],
    ["a count", "result.json", '"passed": 1', '"passed": 2'],
  ])("refuses a job of which %s was changed by hand", async (_, path, from, to) => {
    const { job, folder } = await copied();
    const text = await readFile(join(job, path), "utf8");
    await writeFile(join(job, path), text.replace(from, to));
    expect(await readFile(join(job, path), "utf8")).not.toBe(text);
    await expect(exported(job, folder)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(
        /cannot be exported, because its files do not fit together: .*\. Restore the job from a copy/s,
      ) as unknown,
    });
    expect(await readdir(folder)).toEqual(["job"]);
  });

  it("takes a job whose server signed as simulated, which its lock could not know", async () => {
    const ports = await benchPorts();
    const signing: typeof ports = {
      ...ports,
      run: async (o) => ({ ...(await ports.run(o)), served: { fingerprint: simulatedFingerprint } }),
    };
    const done = await bench(await fixtureRequest([await fixtureTask()]), signing);
    const job = done.folder;
    expect(done).toMatchObject({ simulated: true, configurations: [{ simulated: true }] });
    const { checks } = await verify((await exported(job, await scratch())).out);
    expect(checks.filter(({ state }) => state === "fails")).toEqual([]);
  });

  it("takes the job as it is after it grew", async () => {
    const task = await fixtureTask();
    const request = await fixtureRequest([task]);
    const ports = await benchPorts();
    await bench(request, ports);
    const { folder: job } = await bench({ ...request, repeats: 2, configurations: [fixtureConfig(), fixtureConfig("more")] }, ports);
    const folder = await scratch();
    const { checks } = await verify((await exported(job, folder)).out);
    expect(checks.filter(({ state }) => state === "fails")).toEqual([]);
    expect(checks.find(({ name }) => name === "trials")?.says).toMatch(/^4 of 4/);
  });
});

describe("a key", () => {
  it("is ed25519 in PEM form, and anything else is told", async () => {
    const folder = await scratch();
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    const pub = String(publicKey.export({ type: "spki", format: "pem" }));
    expect((await readPrivateKey(await file("good.pem", pem))).equals(privateKey)).toBe(true);
    expect((await readPublicKey(await file("good.pub", pub))).equals(publicKey)).toBe(true);
    const locked = String(privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }));
    const rsa = String(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }));
    await expect(readPrivateKey(join(folder, "none"))).rejects.toThrow(/--sign: .*cannot be read.*openssl genpkey/);
    await expect(readPrivateKey(await file("odd", "odd"))).rejects.toThrow(/holds no private key in PEM form/);
    await expect(readPrivateKey(await file("public", pub))).rejects.toThrow(/holds no private key/);
    await expect(readPrivateKey(await file("locked", locked))).rejects.toThrow(/passphrase/);
    await expect(readPrivateKey(await file("rsa", rsa))).rejects.toThrow(/type rsa/);
    await expect(readPublicKey(await file("odd", "odd"))).rejects.toMatchObject({ exitCode: 2 });
  });
});
