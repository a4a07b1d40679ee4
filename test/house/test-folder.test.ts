import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { clearTestFolder } from "../../scripts/setup/test-folder.mjs";

it("names the test whose folder or process is left at the end of a run, ends the process and removes the folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  const notes = ["a", "b"].map((name) => ({ test: `test/${name}.test.ts`, pid: 0, images: [], folder: join(folder, `forge-t-${name}`) }));
  const [a = "", b = ""] = notes.map((note) => note.folder);
  mkdirSync(join(a, "jobs"), { recursive: true });
  mkdirSync(join(folder, "ssr"));
  const child = spawn("sleep", ["100"], { env: { ...process.env, TMPDIR: b }, stdio: "ignore" });
  const ended = once(child, "exit");
  await once(child, "spawn");
  expect(clearTestFolder(folder, notes, 0)).toEqual([
    `folder ${basename(a)} with jobs, by test/a.test.ts`,
    `process ${child.pid} (sleep 100), by test/b.test.ts`,
  ]);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(existsSync(folder)).toBe(false);
});
