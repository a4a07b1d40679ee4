import { deepStrictEqual } from "node:assert";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect, vi } from "vitest";

// Each test file has a temporary folder of its own, which goes with it: nothing that a test, or the product in it, forgets stays on the machine.
const outer = process.env["FORGE_TEST_TMPDIR"] ?? process.env["TMPDIR"] ?? "/tmp";
process.env["FORGE_TEST_TMPDIR"] = outer;
const own = mkdtempSync(join(outer, "forge-t-"));
process.env["TMPDIR"] = own;

// Files of `plain` follow one another in a process: each has the modules of the repository for itself, and leaves the process as it found it.
const shared = process.env["FORGE_TEST_PROJECT"] === "plain";
if (shared) vi.resetModules();
const state = (): object => ({ env: { ...process.env }, folder: process.cwd() });
const found = state();
const atExit = process.listeners("exit");

// Which images it has built is noted for npm test, which removes them: scripts/setup/leftovers.mjs.
const images = new Set<string>();
const note = (message: unknown): void => {
  const { request } = message as { request: { method: string; path: string } }; // as Node documents the channel
  const [path = "", query] = request.path.split("?");
  const tag = request.method === "POST" && path.endsWith("/build") ? new URLSearchParams(query).get("t") : null;
  if (tag !== null) images.add(tag);
};
subscribe("http.client.request.start", note);

function tidied(): object {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetConfig();
  process.exitCode = undefined;
  // They remove folders, which go below.
  for (const listener of process.listeners("exit")) if (!atExit.includes(listener)) process.off("exit", listener);
  return state();
}

// Defined before the file's own hooks, so it runs after them.
afterAll(() => {
  unsubscribe("http.client.request.start", note);
  const { FORGE_NOTES_FILE: file } = process.env;
  const test = relative(process.cwd(), expect.getState().testPath ?? "");
  if (file) appendFileSync(file, `${JSON.stringify({ test, pid: process.pid, folder: own, images: [...images] })}\n`);
  const left = shared ? tidied() : found;
  process.env["TMPDIR"] = outer;
  // What still writes there, as a shell its history, is about to end.
  rmSync(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  deepStrictEqual(left, found); // of its process a file of `plain` leaves the variables and the folder that it found
});
