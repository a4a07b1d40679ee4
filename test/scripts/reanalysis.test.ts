import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { page, reanalysis } from "../../scripts/reanalyse-terminal-bench.ts";

it("the reanalysis of the public results says what the statistics say now (else: npx jiti scripts/reanalyse-terminal-bench.ts)", async () => {
  expect(await reanalysis()).toBe(readFileSync(page, "utf8"));
});
