/**
 * npx jiti scripts/campaigns/hold-tasks.ts: every case of the tests of tasks, also those whose files did not change: the gate over every family with two
 * seeds, the built-in suites, other ways of solving, and every pair of planted mistakes. What held is written to test/tasks/held.json, by which `npm test`
 * runs only what changed since, and a fixed sample. Some minutes on an idle machine; exit code 1 where something does not hold, which `npm test` then tries.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "forge-hold-"));
const notes = join(folder, "held.jsonl");
try {
  const tests = ["test/tasks/suites", "test/tasks/otherwise", "test/tasks/generated"];
  const { status } = spawnSync(process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--retry=0", ...tests], {
    cwd: root,
    env: { ...process.env, FORGE_HOLD_TASKS: notes, FORGE_REQUIRE: "all" },
    stdio: "inherit",
  });
  process.exitCode = status === 0 ? 0 : 1;
  const lines = readFileSync(notes, "utf8").trim().split("\n");
  const held = lines.map((line) => JSON.parse(line) as [string, string]).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const file = join(root, "test", "tasks", "held.json");
  writeFileSync(file, await format(JSON.stringify(Object.fromEntries(held)), { filepath: file }));
  process.stdout.write(`${held.length} cases held.\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
