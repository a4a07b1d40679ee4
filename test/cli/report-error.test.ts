import { afterEach, expect, it, vi } from "vitest";
import { reportError } from "../../cli/shared/report-error.ts";
import { CannotError } from "../../harness/errors.ts";
import { said } from "./said.ts";

afterEach(() => vi.unstubAllEnvs());

it.each([
  ["test", "Run forge images bootstrap, or forge --help. "],
  ["exec", "Run npx forge images bootstrap, or npx forge --help. "],
])("names the commands of a cure as the user calls them (npm_command=%s)", async (called, cure) => {
  vi.stubEnv("npm_command", called);
  const kept = "See npx forge doctor, ./forge run, forge.yaml, Forge of the forge.";
  const error = new CannotError(`Run forge images bootstrap, or forge --help. ${kept}`);
  expect(await said(() => Promise.resolve(reportError(error, false)))).toMatchObject({ code: 3, out: `error: ${cure}${kept}\n` });
});
