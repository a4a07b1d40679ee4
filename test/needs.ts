import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
import { missing } from "../scripts/setup/missing.mjs";
import { heavyNeeds } from "../scripts/setup/test-needs.mjs";
import type { Missing, Need } from "../scripts/setup/missing.mjs";

const answers = new Map<Need, Missing | undefined>();

/**
 * True when what a test needs is missing: `describe.skipIf(needs("docker"))("…", …)`.
 * The skip is noted in `FORGE_SKIPS_FILE` (one JSON object a line), from which `npm test` prints its closing list.
 * @throws Error when `FORGE_REQUIRE=all`, where a skip is a failure.
 */
export function needs(what: Need): boolean {
  const lack = answerOf(what);
  if (!lack) return false;
  if (process.env["FORGE_REQUIRE"] === "all")
    throw new Error(`${what} is required (FORGE_REQUIRE=all), but ${lack.reason}. To provide it: ${lack.cure}`);
  note(what, lack);
  return true;
}

/** Of cases that differ in nothing but where or when: a few that cover each kind, and all of them with FORGE_WHOLE=1. docs/lab/tests.md lists them. */
export const sampled = <T>(all: readonly T[], few: readonly T[]): readonly T[] => (process.env["FORGE_WHOLE"] ? all : few);

/** Of so many draws of a law that makes whole runs for each: a third, and all of them with FORGE_WHOLE=1. */
export const draws = (all: number): number => (process.env["FORGE_WHOLE"] ? all : Math.ceil(all / 3));

/**
 * As `needs`, for what no set-up can provide everywhere (a plugin that a distribution has no package of): `describe.each(there("buildx"))("with %s", …)`.
 * Where it is missing, that is noted like a skip and is never a failure: such tests are not declared at all, so the file must have others.
 */
export function there(what: Need): readonly Need[] {
  const lack = answerOf(what);
  if (lack) note(what, lack);
  return lack ? [] : [what];
}

function answerOf(what: Need): Missing | undefined {
  if (heavyNeeds.has(what) && (process.env["FORGE_TEST_PROJECT"] ?? "machine") !== "machine")
    throw new Error(`A test that needs ${what} writes needs("${what}") into its file: by that it is run among those that may have it.`);
  if (!answers.has(what)) answers.set(what, missing(what));
  return answers.get(what);
}

function note(what: Need, lack: Missing): void {
  const { FORGE_SKIPS_FILE: file } = process.env;
  if (!file) return;
  const test = relative(process.cwd(), expect.getState().testPath ?? "");
  appendFileSync(file, `${JSON.stringify({ what, test, ...lack })}\n`);
}
