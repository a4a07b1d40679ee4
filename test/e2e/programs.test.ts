import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicTypes } from "../../scripts/docs/public-types.ts";
import { needs } from "../needs.ts";
import { built, cleanUp, emptyFolder } from "./forge.ts";

const root = join(import.meta.dirname, "../..");
beforeAll(built);
afterAll(cleanUp);

/** Runs an example as a user does, in a folder and a home of its own. */
function program(name: string, folder: string, ...args: string[]) {
  const jiti = join(root, "node_modules/jiti/lib/jiti-cli.mjs");
  const env = { PATH: process.env["PATH"], HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [jiti, join(root, "examples/programs", name), ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe.skipIf(needs("bubblewrap"))("programs around Forge", () => {
  it("have at most 25 lines, run with the simulated model, and print what they say", { timeout: 180_000 }, () => {
    const folder = emptyFolder();
    const task = join(root, "examples/tasks/longest-line");
    const compared = program("compare-two.ts", folder, task, "bubblewrap");
    expect(compared).toMatch(/^longest-line with bare: (passed|agent)$/m);
    expect(compared).toMatch(/^(bare|standard): \d of 2$/m);
    expect(compared).toMatch(/^standard against bare: (withheld|too few tasks)/m);

    const once = program("run-once.ts", folder, "run-1", "bubblewrap");
    expect(once).toMatch(/^\{.*"name":"bash"/m);
    expect(once).toMatch(/^done after \d+ turns, recorded in run-1$/m);

    const read = program("read-runs.ts", folder, "run-1", "jobs");
    expect(read.match(/ calls, exact \(exact\s+(\d+)\/\1\)$/gm)).toHaveLength(5);
    for (const name of ["compare-two.ts", "run-once.ts", "read-runs.ts"])
      expect(
        readFileSync(join(root, "examples/programs", name), "utf8")
          .trimEnd()
          .split("\n").length,
      ).toBeLessThanOrEqual(25);
  });
});

it("the public types are those of test/house/public-types.txt: a change of them is a change for programs", () => {
  expect(publicTypes()).toBe(readFileSync(join(root, "test/house/public-types.txt"), "utf8"));
});
