// npm start: from a fresh clone to a finished comparison of two harnesses, its traces, one of them replayed exactly, and the same on real runs.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { missing } from "./setup/missing.mjs";
import { buildIfStale, giveUp, prepare, root } from "./setup/prepare.mjs";

/**
 * Runs a command of Forge the way a user would, and shows it first.
 * @param {string[]} args
 */
function forge(...args) {
  console.log(`\n$ npx forge ${args.join(" ")}`);
  const { status, signal, error } = spawnSync(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status === 0) return;
  giveUp(
    `The command above ended with ${error?.message ?? signal ?? `exit code ${status}`}: what it printed names the cause.`,
    status ?? 1,
  );
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

/**
 * @param {string} job
 * @returns {string[]} the folders of the runs
 */
function runsOf(job) {
  return readdirSync(join(root, job), { recursive: true, encoding: "utf8" })
    .filter((path) => /(^|[/\\])trace\.jsonl(\.gz)?$/.test(path))
    .map((path) => join(job, dirname(path)))
    .toSorted();
}

prepare();
buildIfStale();
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const job = join("jobs", `start-${stamp}`);
const sandbox = chooseSandbox();
console.log(`Two harnesses, bare and standard, on six small tasks, three times each, with a simulated model (sandbox: ${sandbox}).`);
forge(
  "bench",
  "demo",
  "--config",
  "bare",
  "--config",
  "standard",
  "--repeats",
  "3",
  "--model",
  "sim/default",
  "--sandbox",
  sandbox,
  "--out",
  job,
);
forge("compare", job);

const [run] = runsOf(job);
if (run === undefined) giveUp(`The bench left no trace in ${job}: run it again with --debug and report what it prints.`, 1);
forge("replay", run);
console.log("\nThat was a simulated model, whose verdict is withheld. The same on recorded runs of a real one:");
forge("demo", "--out", join("jobs", `demo-${stamp}`));
console.log(`\nOf the simulated bench above, every run again, exactly, without a model:\n  npx forge replay ${job}`);
