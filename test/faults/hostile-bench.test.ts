import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileBench } from "../../scripts/campaigns/hostile-bench.ts";
import { built, cleanUp, emptyFolder } from "../e2e/forge.ts";

beforeAll(built);
afterAll(cleanUp);

/** A small sample, with arguments of 5,000 levels; `scripts/campaigns/hostile-replies.ts` has all kinds and wires, and every command that reads runs. */
const sample = { wire: "openai", seed: 1, kinds: ["depth", "calls to nothing", "lone surrogates"] } as const;

describe("a bench whose model sends hostile or broken replies", { timeout: 600_000 }, () => {
  it("goes on, also killed and resumed; every trial has its class, and every run replays", async () => {
    const main = join(import.meta.dirname, "../../dist/cli/main.js");
    const found = await hostileBench({ ...sample, main, folder: emptyFolder(), sandbox: "local-unsafe", readers: [] });
    expect(found.problems).toEqual([]);
    expect(found.replay).toMatch(/^(\d+) runs: \1 exact$/);
  });
});
