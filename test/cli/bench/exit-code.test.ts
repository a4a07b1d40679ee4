import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBench } from "../../../cli/bench/run-bench.ts";
import type { BenchFlags } from "../../../cli/bench/options.ts";
import { ownSuitesFolder } from "../../../tasks/formats/own-suites.ts";
import { needs } from "../../needs.ts";
import { said } from "../said.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-exit-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

/** The exit code of a bench of one shipped task whose verifier says this, and what was written. */
async function bench(verdict: "true" | "false", flags: Partial<BenchFlags>): Promise<{ code: number; out: string }> {
  const folder = await mkdtemp(join(root, "case-"));
  await cp(join(ownSuitesFolder(), "demo", "greet"), join(folder, "suite", "greet"), { recursive: true });
  await writeFile(join(folder, "suite", "greet", "tests", "verify.sh"), `${verdict}\n`);
  const { code, out } = await said(() =>
    runBench(join(folder, "suite"), { repeats: 1, config: ["bare"], sandbox: "bubblewrap", out: join(folder, "job"), ...flags }),
  );
  return { code, out };
}

describe.skipIf(needs("bubblewrap"))("forge bench ends with 1", () => {
  it("where a reference solution fails, and with 0 where all pass", async () => {
    const failing = await bench("false", { agent: "oracle" });
    expect([failing.code, failing.out]).toEqual([1, expect.stringContaining("the reference solutions passed 0 of 1 trial: exit code 1.")]);
    expect((await bench("true", { agent: "oracle" })).code).toBe(0);
  });

  it("where doing nothing passes, and with 0 where it never does", async () => {
    const passing = await bench("true", { agent: "nop" });
    expect([passing.code, passing.out]).toEqual([1, expect.stringContaining("doing nothing passed 1 of 1 trial: exit code 1.")]);
    expect((await bench("false", { agent: "nop" })).code).toBe(0);
  });

  it("where a configuration passes less than --min-pass, and never by its rate alone", async () => {
    const below = await bench("false", { minPass: 0.5 });
    expect([below.code, below.out]).toEqual([1, expect.stringContaining("bare passed 0 of 1, less than --min-pass 0.5: exit code 1.")]);
    expect((await bench("true", { minPass: 1 })).code).toBe(0);
    expect((await bench("false", {})).code).toBe(0);
  });
});
