// npm start: from a fresh clone to a finished bench of two harnesses, then what the other commands find in recorded runs of a real model.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { missing } from "./setup/missing.mjs";
import { buildIfStale, giveUp, prepare, root } from "./setup/prepare.mjs";

/** Below a step, where its text begins. */
const indent = " ".repeat(13);

/**
 * A bench of the demo suite. A terminal shows its progress; a log gets the lines that count trials, and what it said only where it failed.
 * @param {string} job
 * @param {string} sandbox
 */
async function bench(job, sandbox) {
  const arms = ["--config", "bare", "--config", "standard", "--repeats", "3", "--model", "sim/default"];
  const args = ["bench", "demo", ...arms, "--sandbox", sandbox, "--out", job];
  const live = process.stderr.isTTY;
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
    cwd: root,
    stdio: ["inherit", "pipe", live ? "inherit" : "pipe"],
  });
  /** @type {string[]} */
  const said = [];
  child.stdout?.setEncoding("utf8").on("data", (text) => said.push(text));
  if (child.stderr)
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(`${line}\n`);
      if (/^\d+\/\d+ · /.test(line)) console.error(indent + line);
    });
  const [code, signal] = await once(child, "close");
  if (code === 0) return;
  console.error(said.join(""));
  giveUp(`npx forge ${args.join(" ")} ended with ${signal ?? `exit code ${code}`}: what it printed names the cause.`, code ?? 1);
}

/** The strongest separation that works here now, without installing or building anything for it. */
function chooseSandbox() {
  const docker = missing("docker");
  if (!docker) return "docker";
  console.log(`Docker is not used: ${docker.reason}.`);
  const bubblewrap = missing("bubblewrap");
  if (!bubblewrap) return "bubblewrap";
  console.log(`bubblewrap is not used: ${bubblewrap.reason}.`);
  return "local";
}

prepare();
buildIfStale();
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const job = join("jobs", `start-${stamp}`);
const sandbox = chooseSandbox();
console.log(`\n1  Bench     two harnesses × 6 tasks × 3 repeats, in ${sandbox}; no key, no cost`);
await bench(job, sandbox);
/** @type {{ configurations: { configuration: string, passed: number, failed: number }[] }} */
const { configurations } = JSON.parse(readFileSync(join(root, job, "result.json"), "utf8"));
for (const { configuration, passed, failed } of configurations)
  console.log(`${indent}${configuration.padEnd(10)}${String(passed).padStart(2)}/${passed + failed} passed`);
console.log(`${indent}no verdict: the model is simulated\n${indent}in the browser: npx forge view ${job}`);

const { showDemo } = await import(pathToFileURL(join(root, "dist", "cli", "demo", "show-demo.js")).href);
process.exitCode = await showDemo({ out: join("jobs", `demo-${stamp}`) }, { first: 2, forge: "npx forge" });
