import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
import { missing } from "../scripts/missing.mjs";
import type { Missing, Need } from "../scripts/missing.mjs";

const answers = new Map<Need, Missing | undefined>();

/**
 * True when what a test needs is missing: `describe.skipIf(needs("docker"))("…", …)`.
 * The skip is noted in `FORGE_SKIPS_FILE` (one JSON object a line), from which `npm test` prints its closing list.
 * @throws Error when `FORGE_REQUIRE=all`, where a skip is a failure.
 */
export function needs(what: Need): boolean {
  if (!answers.has(what)) answers.set(what, missing(what));
  const lack = answers.get(what);
  if (!lack) return false;
  const { FORGE_REQUIRE: required, FORGE_SKIPS_FILE: file } = process.env;
  if (required === "all") throw new Error(`${what} is required (FORGE_REQUIRE=all), but ${lack.reason}. To provide it: ${lack.cure}`);
  if (file) {
    const test = relative(process.cwd(), expect.getState().testPath ?? "");
    appendFileSync(file, `${JSON.stringify({ what, test, ...lack })}\n`);
  }
  return true;
}
