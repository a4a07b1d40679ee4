/**
 * npm run gate: holds generated tasks to the whole gate (docs/tasks.md), family by family, and the built-in suite. Some seeds of each family are tried in
 * Docker, the rest under bubblewrap. What held is written down in --out, so that run the same command again to resume. Prints a table by family
 * and each thing that does not hold; exit code 1 where there is one. It ends by itself, after hours for all of it.
 * --families all · --seeds 20 · --first 1 · --docker 5 · --repeats 10 · --jobs 2 · --suite builtin (or none) · --out jobs/gate
 * --only "another locale,clock": nothing but that these circumstances do not matter.
 */
import { plural } from "../harness/text/figures.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createBenchPorts } from "../assembly/create-bench-ports.ts";
import { configRegistry } from "../assembly/registry.ts";
import { checkConfig, gateTask } from "../evals/gate/gate-task.ts";
import { interruptible } from "../cli/shared/interruptible.ts";
import { reportError } from "../cli/shared/report-error.ts";
import { messageOf } from "../harness/errors.ts";
import { duration } from "../reports/text/format.ts";
import { plainTable } from "../reports/text/lay-table.ts";
import { oneLine } from "../harness/text/printable.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import { loadTask } from "../tasks/formats/load-task.ts";
import { generateTasks } from "../tasks/generated/generate.ts";
import { conditions, type Condition } from "../evals/gate/conditions/condition.ts";
import type { Task } from "../tasks/task.ts";
import { gatePlan } from "./campaigns/gate-plan.ts";
import { gateResults, type GateResult } from "./campaigns/gate-results.ts";

const { values } = parseArgs({
  options: {
    families: { type: "string", default: "all" },
    seeds: { type: "string", default: "20" },
    first: { type: "string", default: "1" },
    docker: { type: "string", default: "5" },
    repeats: { type: "string", default: "10" },
    jobs: { type: "string", default: "2" },
    suite: { type: "string", default: "builtin" },
    only: { type: "string" },
    out: { type: "string", default: join("jobs", "gate") },
  },
});
const whole = (option: "seeds" | "first" | "docker" | "repeats" | "jobs", least: number): number => {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number >= least) return number;
  process.stderr.write(`--${option}: expected a whole number from ${least} on, got "${values[option]}".\n`);
  process.exit(2);
};
const repeats = whole("repeats", 1);
const only = values.only?.split(",").map((name): Condition => {
  const found = conditions.find((condition) => condition === name.trim());
  if (found) return found;
  process.stderr.write(`--only: expected some of ${conditions.join(", ")}, got "${name}".\n`);
  process.exit(2);
});
const jobs = whole("jobs", 1);
function planned() {
  try {
    return gatePlan({
      families: values.families,
      first: whole("first", 0),
      seeds: whole("seeds", 1),
      docker: whole("docker", 0),
    });
  } catch (error) {
    process.exit(reportError(error, false));
  }
}
const plan = planned();
const results = gateResults(resolve(values.out));
const ports = await createBenchPorts(process.env);
const config = await checkConfig(configRegistry);
const folder = await mkdtemp(join(tmpdir(), "forge-gate-"));
const done: GateResult[] = [];
let stopped = false;

interface Job {
  /** Of the task, and what it is counted under. */
  readonly name: string;
  readonly family: string;
  readonly sandbox: "docker" | "bubblewrap";
  readonly load: () => Promise<Task>;
}
const ofFamilies = plan.map(({ family, level, seed, sandbox }): Job => {
  const name = `${family.name}-${level}-${seed}`;
  const load = async (): Promise<Task> => {
    const out = join(folder, name);
    const [made = ""] = await generateTasks({ families: [family], levels: [level], seeds: [seed], out });
    return loadTask(join(out, made));
  };
  return { name, family: family.name, sandbox, load };
});
const ofSuite =
  values.suite === "none"
    ? []
    : (await loadSuite(values.suite)).tasks.map((task): Job => ({
        name: task.name,
        family: `suite ${values.suite}`,
        sandbox: "docker",
        load: () => Promise.resolve(task),
      }));

async function gate(job: Job, stop: AbortSignal): Promise<void> {
  const began = Date.now();
  const own = await mkdtemp(join(folder, "trials-"));
  // A family that cannot draw its task is one that does not hold.
  let base: Pick<GateResult, "task" | "family" | "digest" | "sandbox" | "repeats" | "only"> = {
    task: job.name,
    family: job.family,
    digest: "",
    sandbox: job.sandbox,
    repeats,
    ...(only && { only: only.join(", ") }),
  };
  let result: GateResult;
  try {
    const task = await job.load();
    const sandbox = task.forge?.local === false ? "docker" : job.sandbox;
    base = { ...base, task: task.name, digest: task.digest, sandbox };
    const before = results.held(base);
    if (before) return void done.push(before);
    const { lines, ok } = await gateTask(
      task,
      { ports, sandbox, config, folder: own, stop },
      { full: true, repeats, ...(only && { only }) },
    );
    const failed = lines.filter((line) => !line.ok).map(({ check, detail }) => oneLine(`${check}: ${detail}`).slice(0, 400));
    const notTried = lines.filter(({ note }) => note?.startsWith("not tried")).map(({ check }) => check);
    result = { ...base, ok, held: lines.length - failed.length, of: lines.length, notTried, failed, ms: Date.now() - began };
  } catch (error) {
    if (stop.aborted) return;
    result = { ...base, ok: false, held: 0, of: 0, notTried: [], failed: [oneLine(messageOf(error))], ms: Date.now() - began };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  results.add(result);
  done.push(result);
  const all = ofFamilies.length + ofSuite.length;
  process.stdout.write(`${result.ok ? "✓" : "✗"} ${result.task} (${result.sandbox}, ${duration(result.ms)}) ${done.length} of ${all}\n`);
  for (const words of result.failed) process.stdout.write(`    ${words}\n`);
}

try {
  await interruptible(async ({ stop }) => {
    const queue = [...ofFamilies, ...ofSuite];
    const work = async (): Promise<void> => {
      for (let job = queue.shift(); job && !stop.aborted; job = queue.shift()) await gate(job, stop);
    };
    await Promise.all(Array.from({ length: jobs }, work));
    stopped = stop.aborted;
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

const rows = [...new Set(done.map(({ family }) => family))].map((family) => {
  const own = done.filter((one) => one.family === family);
  const count = (fits: (one: GateResult) => boolean): number => own.filter(fits).length;
  const checks = own.reduce((sum, one) => sum + one.held, 0);
  const of = own.reduce((sum, one) => sum + one.of, 0);
  const notTried = new Set(own.flatMap((one) => one.notTried)).size;
  const time = own.reduce((sum, one) => sum + one.ms, 0);
  return [
    family,
    `${count(({ ok }) => ok)}/${own.length}`,
    count(({ sandbox }) => sandbox === "docker"),
    count(({ sandbox }) => sandbox === "bubblewrap"),
    `${checks}/${of}`,
    notTried,
    duration(time),
  ];
});
process.stdout.write(
  `${plainTable(["family", "hold", "docker", "bubblewrap", "checks", "kinds not tried somewhere", "time"], rows, { most: Infinity })}\n`,
);
const bad = done.filter(({ ok }) => !ok);
for (const { task, sandbox, failed } of bad) process.stdout.write(`✗ ${task} (${sandbox}): ${failed.join(" · ")}\n`);
process.stdout.write(`${done.length - bad.length} of ${plural(done.length, "task")} hold; ${plural(repeats, "trial")} of each solution\n`);
process.exitCode = stopped ? 130 : bad.length > 0 ? 1 : 0;
