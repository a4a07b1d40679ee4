import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { clearTestFolder, makeTestFolder } from "../../scripts/setup/test-folder.mjs";

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

it("removes the folder of a run that was killed, and none of a run that goes on or of anybody else", () => {
  const parent = mkdtempSync(join(tmpdir(), "parent-"));
  const { pid: ended } = spawnSync("true");
  const make = (name: string, pid?: number): string => {
    mkdirSync(join(parent, name, "notes"), { recursive: true });
    if (pid !== undefined) writeFileSync(join(parent, name, "notes", "pid"), String(pid));
    return name;
  };
  const killed = make("fabcdef", ended);
  const others = [make("fghijkl", process.ppid), make("fmnopqr"), make("fabc", ended)];
  const { folder, notes } = makeTestFolder(parent);
  expect(readdirSync(parent).toSorted()).toEqual([...others, basename(folder)].toSorted());
  expect([existsSync(join(parent, killed)), existsSync(notes)]).toEqual([false, true]);
});
