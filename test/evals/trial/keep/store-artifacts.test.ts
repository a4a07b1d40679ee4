import { chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { keepArtifacts } from "../../../../evals/trial/keep/store-artifacts.ts";
import { artifactsDigest, layOutArtifacts } from "../../../../evals/trial/keep/lay-out-artifacts.ts";
import { sha256 } from "../../../../harness/hash/sha256.ts";

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});
async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-artifacts-"));
  made.push(folder);
  return folder;
}

/** An attempt of a job, with the artifact `out` as `make` fills it. */
async function attempt(job: string, name: string, make: (out: string) => Promise<unknown>): Promise<{ folder: string; trace: string }> {
  const trace = `trials/${name}/plain/1/attempt-1`;
  const folder = join(job, trace);
  await mkdir(join(folder, "artifacts/app/out"), { recursive: true });
  await make(join(folder, "artifacts/app/out"));
  const artifacts = [{ source: "/app/out", destination: "app/out", type: "folder", status: "ok" }];
  await writeFile(join(folder, "artifacts/manifest.json"), JSON.stringify({ v: 1, artifacts }));
  return { folder, trace };
}
const program = async (out: string): Promise<void> => {
  await writeFile(join(out, "run"), "#!/bin/sh\necho yes\n");
  await chmod(join(out, "run"), 0o755);
  await writeFile(join(out, "text"), "text\n");
  await symlink("text", join(out, "near"));
  await mkdir(join(out, "empty"));
};
const blobsOf = async (job: string): Promise<string[]> =>
  (await readdir(join(job, "blobs"), { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name);

describe("the artifacts of attempts whose verifier has an environment of its own", () => {
  it("are stored once where several left the same, and are laid out as they were: modes, links and empty folders too", async () => {
    const job = await scratch();
    const attempts = [await attempt(job, "a", program), await attempt(job, "b", program)];
    const digests = await Promise.all(attempts.map(({ folder }) => artifactsDigest(folder)));
    for (const [i, one] of attempts.entries()) {
      expect(await keepArtifacts(digests[i], one)).toMatchObject({ kept: true, files: 3, artifacts: digests[0] });
      expect((await readdir(one.folder)).toSorted()).toEqual(["artifacts", "delta.json"]);
      expect(await readdir(join(one.folder, "artifacts"))).toEqual(["manifest.json"]);
    }
    expect(await blobsOf(job)).toHaveLength(3);
    for (const { folder } of attempts) {
      const to = await scratch();
      const got = await layOutArtifacts(folder, { digest: digests[0] ?? "", blobs: join(job, "blobs"), to });
      expect(got).toMatchObject([{ source: "/app/out", destination: "app/out" }]);
      const out = join(to, "artifacts/app/out");
      expect((await readdir(out)).toSorted()).toEqual(["empty", "near", "run", "text"]);
      expect([(await stat(join(out, "run"))).mode & 0o111, await readlink(join(out, "near"))]).toEqual([0o111, "text"]);
    }
  });

  /** That the artifact `big` is where its attempt left it, and found there again. */
  async function isThere(folder: string, digest: string): Promise<void> {
    expect(await readdir(folder)).toEqual(["artifacts"]);
    expect((await readdir(join(folder, "artifacts"))).toSorted()).toEqual(["app", "manifest.json"]);
    const to = await scratch();
    expect(await layOutArtifacts(folder, { digest, blobs: undefined, to })).toHaveLength(1);
    expect(await readdir(join(to, "artifacts/app/out"))).toContain("big");
  }

  it("stay where they are beyond what a delta may have, and why is said", async () => {
    const job = await scratch();
    const one = await attempt(job, "large", (out) => writeFile(join(out, "big"), Buffer.alloc(65 * 1024 ** 2)));
    const digest = await artifactsDigest(one.folder);
    const why = expect.stringMatching(/stay in their folder: it has more than 64 MiB\.$/) as unknown;
    expect(await keepArtifacts(digest, one)).toEqual({ kept: false, why, artifacts: digest });
    await isThere(one.folder, digest);
  });

  it.each(["before any of them was stored", "when some of them were stored"])(
    "stay where they are where the machine fails %s",
    async (when) => {
      const job = await scratch();
      const one = await attempt(job, "failing", async (out) => {
        await writeFile(join(out, "a"), "a\n");
        await writeFile(join(out, "big"), "big\n");
      });
      const digest = await artifactsDigest(one.folder);
      // Where its contents would go is no folder: what a disk that fails does to it.
      const place = join(job, when.startsWith("before") ? "blobs" : `blobs/${sha256("big\n").slice(0, 2)}`);
      await mkdir(join(place, ".."), { recursive: true });
      await writeFile(place, "");
      const why = expect.stringMatching(/stay in their folder: E(EXIST|NOTDIR)/) as unknown;
      expect(await keepArtifacts(digest, one)).toEqual({ kept: false, why, artifacts: digest });
      await isThere(one.folder, digest);
    },
  );

  it("stay where they are where a link in them turns back, and are found there, as those of older jobs are", async () => {
    const job = await scratch();
    const one = await attempt(job, "links", async (out) => {
      await mkdir(join(out, "bin"));
      await writeFile(join(out, "text"), "text\n");
      await symlink("../bin/../text", join(out, "bin/near"));
    });
    const digest = await artifactsDigest(one.folder);
    expect(await keepArtifacts(digest, one)).toMatchObject({ kept: false, artifacts: digest });
    const to = await scratch();
    expect(await layOutArtifacts(one.folder, { digest, blobs: undefined, to })).toHaveLength(1);
    expect(await readFile(join(to, "artifacts/app/out/bin/near"), "utf8")).toBe("text\n");
  });

  it("are nothing where an attempt left none", async () => {
    const job = await scratch();
    const one = { folder: join(job, "trials/none/plain/1/attempt-1"), trace: "trials/none/plain/1/attempt-1" };
    await mkdir(one.folder, { recursive: true });
    const digest = await artifactsDigest(one.folder);
    expect(await keepArtifacts(digest, one)).toMatchObject({ kept: false, artifacts: digest });
    expect(await layOutArtifacts(one.folder, { digest, blobs: undefined, to: await scratch() })).toEqual([]);
  });

  it("are refused where what was kept is another, and make nothing outside of their folder, whoever wrote them", async () => {
    const job = await scratch();
    const one = await attempt(job, "a", program);
    const digest = await artifactsDigest(one.folder);
    await keepArtifacts(digest, one);
    const text = await readFile(join(one.folder, "delta.json"), "utf8");
    const outside = await scratch();
    const links = [
      { path: "x", target: outside },
      { path: "x/made", target: "text" },
    ];
    const delta = JSON.parse(text) as { paths: object[] }; // as it was written above
    for (const change of [{ links }, { base: "/", path: "/", links }, { links: [] }, { base: "/", path: "/" }]) {
      const other = join(job, "other");
      await cp(one.folder, other, { recursive: true });
      await writeFile(join(other, "delta.json"), JSON.stringify({ v: 1, paths: [{ ...delta.paths[0], ...change }] }));
      const laid = layOutArtifacts(other, { digest, blobs: join(job, "blobs"), to: await scratch() });
      await expect(laid, JSON.stringify(change)).rejects.toMatchObject({ exitCode: 4 });
    }
    expect(await readdir(outside)).toEqual([]);
  });
});
