// npm test: installs what is missing, builds, runs everything, and ends with what was skipped and how to get it. Arguments go on to vitest; for the files
// that they choose, nothing is provided or built that these do not use.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { closingLines } from "./setup/closing-lines.mjs";
import { allNeeds } from "./setup/missing.mjs";
import { clearDaemon, listDaemon } from "./setup/leftovers.mjs";
import { buildIfStale, prepare, root } from "./setup/prepare.mjs";
import { provide } from "./setup/provide.mjs";
import { clearTestFolder, makeTestFolder } from "./setup/test-folder.mjs";
import { listTests, needsAmong, startsCommand } from "./setup/test-needs.mjs";

/** @type {import("node:child_process").ChildProcess | undefined} */
let tests;
// A terminal's Ctrl-C reaches vitest too: wait for it, so that a daemon of ours is stopped after the tests' containers are gone.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(signal, () => (tests ? tests.kill(signal) : process.exit(130)));

prepare();
const args = process.argv.slice(2);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { folder, notes } = makeTestFolder();
const files = {
  skips: join(notes, "skips.jsonl"),
  report: join(notes, "report.json"),
  chosen: join(notes, "chosen.json"),
  notes: join(notes, "notes.jsonl"),
};
const chosen = chooseTests();
const needed = new Set(chosen.flatMap((file) => [...needsAmong(file, allNeeds)]));
// The image is made by the command itself.
if (needed.has("docker") || chosen.some(startsCommand)) buildIfStale();
const provided = await provide(needed);
const usesDocker = needed.has("docker") || needed.has("docker-daemon");
const before = usesDocker ? listDaemon() : undefined;

/**
 * Which files vitest takes for these arguments.
 * @returns {string[]}
 */
function chooseTests() {
  if (args.length === 0) return listTests("test");
  const { status } = spawnSync(process.execPath, [vitest, "list", "--filesOnly", `--json=${files.chosen}`, ...args], {
    cwd: root,
    stdio: "ignore",
  });
  // What it refuses, it refuses again in the run, with its reason.
  if (status !== 0 || !existsSync(files.chosen)) return listTests("test");
  /** @type {{ file: string }[]} */
  const list = JSON.parse(readFileSync(files.chosen, "utf8"));
  return list.map(({ file }) => relative(root, file));
}

/** @returns {Promise<number>} vitest's exit code */
function runTests() {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${files.report}`];
  const env = { ...process.env, ...provided.env, TMPDIR: folder, FORGE_SKIPS_FILE: files.skips, FORGE_NOTES_FILE: files.notes };
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  tests = child;
  return new Promise((settle) => child.once("close", (code) => settle(code ?? 130)));
}

/**
 * @param {string} line
 * @returns {import("./setup/closing-lines.mjs").Skip}
 */
function parseSkip(line) {
  /** @type {import("./setup/closing-lines.mjs").Skip} */
  const skip = JSON.parse(line);
  return skip;
}

/** @returns {number} how many things were left, which are printed: folders, processes, and on the daemon */
function clear() {
  const lines = existsSync(files.notes) ? readFileSync(files.notes, "utf8").trim().split("\n") : [];
  const parsed = lines.map((line) => /** @type {import("./setup/leftovers.mjs").Note} */ (JSON.parse(line)));
  const left = [...(before ? clearDaemon(before, parsed, provided.startedDocker) : []), ...clearTestFolder(folder, parsed)];
  if (left.length > 0) console.log(["", "Left by the tests:", ...left.map((line) => `  ${line}`)].join("\n"));
  return left.length;
}

/** @returns {{ lines: string[], failed: number }} what is said at the end, and how many tests failed */
function readReport() {
  if (!existsSync(files.report)) return { lines: [], failed: 1 };
  const skips = existsSync(files.skips) ? readFileSync(files.skips, "utf8").trim().split("\n").map(parseSkip) : [];
  /** @type {import("./setup/closing-lines.mjs").Report} */
  const report = JSON.parse(readFileSync(files.report, "utf8"));
  // With arguments (-t, a folder) the rest is left out on purpose.
  return closingLines(skips, report, process.env["FORGE_REQUIRE"] === "all" && args.length === 0);
}

let code = 1;
try {
  code = await runTests();
  const { lines, failed } = readReport();
  if (clear() + failed > 0) code ||= 1;
  console.log(lines.join("\n"));
} finally {
  await provided.stop();
}
process.exit(code);
