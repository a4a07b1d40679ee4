import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { forgeHere as forge } from "../cli/forge-here.ts";
import { cleanUp, emptyFolder, jsonLines } from "./forge.ts";

afterAll(cleanUp);

describe("forge bench export and verify", { timeout: 180_000 }, () => {
  it("publish a job that others verify, until a byte of it is changed", async () => {
    const folder = emptyFolder();
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(join(folder, "key.pub"), publicKey.export({ type: "spki", format: "pem" }));
    const bench = await forge(
      ["bench", "demo", "--filter", "greet", "--config", "bare", "--agent", "oracle", "--sandbox", "local", "--out", "job"],
      {
        cwd: folder,
      },
    );
    expect(bench.code, bench.stderr).toBe(0);

    const written = await forge(["bench", "export", "job", "--sign", "key.pem", "--json"], { cwd: folder });
    expect(written.code, written.stderr).toBe(0);
    expect(jsonLines(written.stdout)).toMatchObject([{ out: "job.tar.gz", signer: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown }]);
    expect(await forge(["bench", "export", "job"], { cwd: folder })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error: --out: job\.tar\.gz already exists; .*\.\n$/) as unknown,
    });

    const holds = await forge(["bench", "verify", "job.tar.gz", "--key", "key.pub"], { cwd: folder });
    expect(holds.code, holds.stderr).toBe(0);
    expect(holds.stdout).toMatch(
      /✓ signature .*\n✓ signer [^]*✓ traces +1 trace whole[^]*– rewards +not checked: [^]*holds in everything that was checked; not checked: rewards\.\n$/,
    );

    const path = join(folder, "job.tar.gz");
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const changed = await forge(["bench", "verify", "job.tar.gz"], { cwd: folder });
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/✗ [^]*job\.tar\.gz does not hold: see .*\.\n$/);
    const [json] = jsonLines((await forge(["bench", "verify", "job.tar.gz", "--json"], { cwd: folder })).stdout);
    expect(json).toMatchObject({ ok: false, archive: "job.tar.gz" });
  });

  it("say in one sentence what is wrong with what they are given", async () => {
    const folder = emptyFolder();
    const answer = async (...args: string[]): Promise<[number | null, string]> => {
      const { code, stderr } = await forge(["bench", ...args], { cwd: folder });
      return [code, stderr];
    };
    expect(await answer("export", "nothing")).toEqual([3, expect.stringMatching(/^error: There is no job "nothing".*\.\n$/)]);
    expect(await answer("verify", "none.tar.gz")).toEqual([3, expect.stringMatching(/^error: There is no file none\.tar\.gz.*\.\n$/)]);
    writeFileSync(join(folder, "a.tar.gz"), "x");
    expect(await answer("verify", "a.tar.gz", "--key", "a.tar.gz")).toEqual([
      2,
      expect.stringMatching(/^error: --key: a\.tar\.gz holds no public key.*\.\n$/),
    ]);
    expect(await answer("verify", "a.tar.gz", "--sandbox", "docker")).toEqual([
      2,
      expect.stringMatching(/^error: --sandbox .*add --rewards\.\n$/),
    ]);
    expect(await answer("verify", ".")).toEqual([3, expect.stringMatching(/^error: .* is a folder.*\.\n$/)]);
  });
});
