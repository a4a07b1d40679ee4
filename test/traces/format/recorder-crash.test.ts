import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

const root = mkdtempSync(join(tmpdir(), "forge-crash-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const jiti = join(dirname(createRequire(import.meta.url).resolve("jiti/package.json")), "lib", "jiti-cli.mjs");

it.each([0, 3, 11, 24, 60])("a recorder killed %i ms after its first word loses nothing it had said was durable", async (afterMs) => {
  const folder = join(root, `run-${afterMs}`);
  const child = spawn(process.execPath, [jiti, join(import.meta.dirname, "recorder-child.ts"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
  await once(child.stdout, "data");
  await wait(afterMs + Math.random() * 5);
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;

  const durable = Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
  expect(durable).toBeGreaterThan(0);
  const check = await verifyTrace(folder);
  expect(check.sealed).toBe(false);
  expect(check.events).toBeGreaterThanOrEqual(durable);
  const { events } = await loadTrace(folder);
  events.forEach(({ n, d }, i) => expect([n, String(d["text"]).split(" ")[0]]).toEqual([i, String(i)]));
});
