import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { readJson } from "../../../harness/files/read-json.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

it.skipIf(process.platform !== "linux").each([
  ["on a full disk", "> /dev/full", "ENOSPC"],
  ["to somebody who has gone", "| head -c 1 > /dev/null", "EPIPE"],
])(
  "a bench that writes its events %s stops as after Ctrl-C, says so, and leaves a job that goes on",
  async (_, to, code) => {
    const folder = await mkdtemp(join(tmpdir(), "forge-lost-"));
    folders.push(folder);
    const out = join(folder, "job");
    const command = `node_modules/.bin/jiti cli/main.ts bench demo --agent oracle --sandbox local --jobs 1 --json --out ${out} ${to}`;
    const ended = await execa("bash", ["-o", "pipefail", "-c", command], { reject: false });
    expect(ended.exitCode).toBe(130);
    expect(ended.stderr).toBe(
      `The reader of this command's output is gone (${code}): no further trial starts, as after Ctrl-C. Run the same command again to resume.`,
    );
    const result = await readJson(join(out, "result.json"), z.looseObject({ status: z.string() }), "is no result");
    expect(result).toMatchObject({ status: "stopped" });
  },
  120_000,
);
