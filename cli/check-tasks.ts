import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import type { Agent } from "../evals/bench-ports.ts";
import { chooseSandbox } from "../evals/choose-sandbox.ts";
import { nameFilter } from "../evals/name-filter.ts";
import { benchSources } from "../harness/config/config-source.ts";
import { loadConfig } from "../harness/config/load-config.ts";
import { CannotError } from "../harness/errors.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine } from "../reports/terminal/printable.ts";
import { checkTask, type CheckedAgent, type CheckReport } from "../tasks/check-task.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import type { Task } from "../tasks/task.ts";
import { configRegistry, createBenchPorts } from "./assemble.ts";
import { interruptible } from "./interruptible.ts";
import { loneTrial, type LoneTrialSetting } from "./lone-trial.ts";
import { oneOf } from "./one-of.ts";

/** Tasks checked at a time. */
const atOnce = 2;

/** Carries out `forge task check`; answers the exit code. */
export async function checkTasks(suiteName: string, o: { filter?: string; sandbox?: string; json?: boolean }): Promise<number> {
  const suite = await loadSuite(suiteName);
  const wanted = ({ name }: { readonly name: string }): boolean => o.filter === undefined || nameFilter(o.filter)(name);
  const tasks = suite.tasks.filter(wanted);
  const refused = (suite.refused ?? []).filter(wanted);
  if (tasks.length === 0) throw new CannotError(`--filter "${o.filter}" fits no task of ${suiteName}.`);
  const asked = o.sandbox === undefined ? undefined : oneOf("--sandbox", o.sandbox, ["docker", "bubblewrap", "local"] as const);
  const ports = await createBenchPorts(process.env);
  const sandbox = await chooseSandbox(asked, tasks, { ports, harmless: true });
  const config = await loadConfig(benchSources({ config: "bare", cwd: process.cwd(), defaultModel: "sim/default" }), configRegistry);
  const folder = await mkdtemp(join(tmpdir(), "forge-check-"));
  for (const { name, reason } of refused)
    show({ task: name, digest: "", ok: false, lines: [{ check: "loads", ok: false, detail: reason }] }, o.json === true);
  let failed = refused.length;
  try {
    await interruptible(async ({ stop }) => {
      const queue = [...tasks];
      const work = async (): Promise<void> => {
        for (let task = queue.shift(); task !== undefined && !stop.aborted; task = queue.shift()) {
          const report = await checkOne(task, { ports, sandbox, config, folder, stop });
          if (!report.ok) failed++;
          show(report, o.json === true);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (!o.json)
    process.stdout.write(`${tasks.length + refused.length - failed} of ${tasks.length + refused.length} tasks hold (${sandbox})\n`);
  return failed === 0 ? 0 : 1;
}

function checkOne(task: Task, setting: LoneTrialSetting): Promise<CheckReport> {
  return checkTask(task, {
    runAs: (who) => runAs(task, who, setting),
    listImageFiles: () => listImageFiles(task, setting),
  });
}

async function runAs(task: Task, who: CheckedAgent, setting: LoneTrialSetting): Promise<{ passed: boolean; detail: string }> {
  const name = who.type === "wrong" ? `wrong-${who.name}` : who.type;
  const agent: Agent = who.type === "wrong" ? { name, command: `sh "\${FORGE_SOLUTION:-/solution}/wrong/${who.name}.sh"` } : who.type;
  const { record, verifier } = await loneTrial(task, agent, setting);
  const passed = record?.passed === true;
  return { passed, detail: passed ? "" : `${record?.error ?? ""} ${verifier}`.trim() };
}

async function listImageFiles(task: Task, { ports, sandbox }: LoneTrialSetting): Promise<string[]> {
  const prepared = await ports.provider(sandbox).prepare(task.environment);
  const fresh = await prepared.create({ labels: { job: "check", trial: task.name } });
  try {
    const places = sandbox === "docker" ? "/" : '"$FORGE_WORKDIR" "$FORGE_TESTS" "${FORGE_SOLUTION:-/solution}"';
    const { stdout } = await fresh.exec(`find ${places} -xdev -type f 2>/dev/null`, { maxBytes: 64 * 1024 * 1024 });
    return new TextDecoder()
      .decode(stdout)
      .split("\n")
      .filter((path) => path !== "");
  } finally {
    await fresh.close();
  }
}

function show(report: CheckReport, json: boolean): void {
  if (json) {
    process.stdout.write(`${jsonLine(report)}\n`);
    return;
  }
  process.stdout.write(`${report.ok ? pc.green("✓") : pc.red("✗")} ${oneLine(report.task)}\n`);
  for (const line of report.lines) if (!line.ok) process.stdout.write(`    ${oneLine(`${line.check}: ${line.detail}`)}\n`);
}
