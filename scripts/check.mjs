// npm run check: types and rules, beside the tests that need no container and no browser, carry out no trials and do not start the compiled command. With
// --static no tests.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildIfStale, prepare, root } from "./setup/prepare.mjs";

prepare();
// The examples import the package as its users do, so the rules that know types need its declarations.
buildIfStale();
const bin = join(root, "node_modules", ".bin");
/** Each uses every processor by itself. Of types only what changed is checked again. */
const inTurn = [
  ["tsc", "-p", "tsconfig.json", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.json"],
  ["tsc", "-p", "reports/viewer/page"],
  ["oxlint"],
  ["knip"],
];
/** Uses one, for longer than all of them. */
const format = ["prettier", "--check", "--log-level", "warn", "--cache", "."];

/**
 * Runs a program and shows what it printed only where it failed.
 * @param {readonly string[]} command
 * @returns {Promise<boolean>} whether it passed
 */
async function quietly([program = "", ...args]) {
  const began = Date.now();
  const child = spawn(join(bin, program), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (printed += String(piece)));
  /** @type {number | null} */
  const code = await new Promise((settle) => child.once("close", settle));
  console.log(`${code === 0 ? "✓" : "✗"} ${[program, ...args].join(" ")} (${Math.round((Date.now() - began) / 1000)} s)`);
  if (code !== 0) console.log(printed.trimEnd());
  return code === 0;
}

/** Beside the tests. */
async function holdRules() {
  const formatted = quietly(format);
  let held = true;
  for (const command of inTurn) held = (await quietly(command)) && held;
  return (await formatted) && held;
}

/** @returns {Promise<boolean>} */
function runTests() {
  const args = [join(root, "scripts", "test.mjs"), "--project", "plain", "--project", "process", "--reporter=dot"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((settle) => child.once("close", (code) => settle(code === 0)));
}

const all = await Promise.all([holdRules(), ...(process.argv.includes("--static") ? [] : [runTests()])]);
process.exitCode = all.every(Boolean) ? 0 : 1;
