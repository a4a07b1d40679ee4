// npm test: installs what is missing, builds, runs everything, and ends with what was skipped and how to get it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare, root } from "./prepare.mjs";
import { provide } from "./provide.mjs";

/** @type {import("node:child_process").ChildProcess | undefined} */
let tests;
// A terminal's Ctrl-C reaches vitest too: wait for it, so that a daemon of ours is stopped after the tests' containers are gone.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => (tests ? tests.kill(signal) : process.exit(130)));

prepare();
const provided = await provide();
const notes = mkdtempSync(join(tmpdir(), "forge-test-"));
const files = { skips: join(notes, "skips.jsonl"), report: join(notes, "report.json") };
const args = process.argv.slice(2);

/**
 * @typedef {{ what: string, test: string, reason: string, cure: string }} Skip
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, testResults: { name: string, status: string, assertionResults: unknown[] }[] }} Report
 */

/** @returns {Promise<number>} vitest's exit code */
function runTests() {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${files.report}`];
  const env = { ...process.env, ...provided.env, FORGE_SKIPS_FILE: files.skips };
  const child = (tests = spawn(process.execPath, [vitest, "run", ...reporters, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((settle) => child.once("close", (code) => settle(code ?? 130)));
}

/**
 * @param {string} line
 * @returns {Skip}
 */
function parseSkip(line) {
  /** @type {Skip} */
  const skip = JSON.parse(line);
  return skip;
}

function printSkips() {
  if (!existsSync(files.skips)) return;
  const skips = readFileSync(files.skips, "utf8").trim().split("
").map(parseSkip);
  console.log("\nSkipped, because something is missing here:");
  for (const what of new Set(skips.map((skip) => skip.what))) {
    const these = skips.filter((skip) => skip.what === what);
    const [{ reason, cure } = { reason: "", cure: "" }] = these;
    console.log(`  ${what}: ${reason}\n    to provide it: ${cure}\n    tests: ${[...new Set(these.map((skip) => skip.test))].join(", ")}`);
  }
}

/** @returns {boolean} whether the report itself says no, beyond vitest's exit code */
function printSummary() {
  if (!existsSync(files.report)) return true;
  /** @type {Report} */
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    testResults,
  } = JSON.parse(readFileSync(files.report, "utf8"));
  // A file that fails before its first test counts as one failure.
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
  const unasked = process.env["FORGE_REQUIRE"] === "all" && args.length === 0 && skipped > 0;
  if (unasked) console.log(`\nFORGE_REQUIRE=all: ${skipped} skipped tests are failures.`);
  console.log(`\n${skipped} skipped\n${passed} passed, ${failed + broken + (unasked ? skipped : 0)} failed`);
  return unasked;
}

let code = 1;
try {
  code = await runTests();
  printSkips();
  if (printSummary()) code ||= 1;
} finally {
  await provided.stop();
  rmSync(notes, { recursive: true, force: true });
}
process.exit(code);
