import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect } from "vitest";

// Each test file has a temporary folder of its own, which goes with it: nothing that a test, or the product in it, forgets stays on the machine.
const outer = process.env["FORGE_TEST_TMPDIR"] ?? process.env["TMPDIR"] ?? "/tmp";
process.env["FORGE_TEST_TMPDIR"] = outer;
const own = mkdtempSync(join(outer, "forge-t-"));
process.env["TMPDIR"] = own;

// Which images it has built is noted for npm test, which removes them: scripts/setup/leftovers.mjs.
const images = new Set<string>();
const note = (message: unknown): void => {
  const { request } = message as { request: { method: string; path: string } }; // as Node documents the channel
  const [path = "", query] = request.path.split("?");
  const tag = request.method === "POST" && path.endsWith("/build") ? new URLSearchParams(query).get("t") : null;
  if (tag !== null) images.add(tag);
};
subscribe("http.client.request.start", note);

// Defined before the file's own hooks, so it runs after them.
afterAll(() => {
  unsubscribe("http.client.request.start", note);
  const { FORGE_NOTES_FILE: file } = process.env;
  const test = relative(process.cwd(), expect.getState().testPath ?? "");
  if (file) appendFileSync(file, `${JSON.stringify({ test, pid: process.pid, images: [...images] })}\n`);
  process.env["TMPDIR"] = outer;
  // What still writes there, as a shell its history, is about to end.
  rmSync(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
