import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { bench } from "../evals/bench.ts";
import type { Agent, BenchPorts } from "../evals/bench-ports.ts";
import type { BenchRequest } from "../evals/bench-request.ts";
import { chooseSandbox } from "../evals/choose-sandbox.ts";
import { nameFilter } from "../evals/name-filter.ts";
import { benchSources } from "../harness/config/config-source.ts";
import { loadConfig } from "../harness/config/load-config.ts";
import type { ResolvedConfig } from "../harness/config/resolved.ts";
import { CannotError } from "../harness/errors.ts";
import type { SandboxKind } from "../harness/sandbox/sandbox.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine } from "../reports/terminal/printable.ts";
import { checkTask, type CheckedAgent, type CheckReport } from "../tasks/check-task.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import type { Task } from "../tasks/task.ts";
import { configRegistry, createBenchPorts } from "./assemble.ts";
import { interruptible } from "./interruptible.ts";
import { oneOf } from "./one-of.ts";

/** Tasks checked at a time. */
const atOnce = 2;

/** Carries out `forge task check`; answers the exit code. */
export async function checkTasks(suiteName: string, o: { filter?: string; sandbox?: string; json?: boolean }): Promise<number> {
  const suite = await loadSuite(suiteName);
  const tasks = suite.tasks.filter(({ name }) => o.filter === undefined || nameFilter(o.filter)(name));
  if (tasks.length === 0) throw new CannotError(`--filter "${o.filter}" fits no task of ${suiteName}.`);
  const asked = o.sandbox === undefined ? undefined : oneOf("--sandbox", o.sandbox, ["docker", "bubblewrap", "local"] as const);
  const ports = await createBenchPorts(process.env);
  const sandbox = await chooseSandbox(asked, tasks, { ports, harmless: true });
  const config = await loadConfig(benchSources({ config: "bare", cwd: process.cwd(), defaultModel: "sim/default" }), configRegistry);
  const folder = await mkdtemp(join(tmpdir(), "forge-check-"));
  let failed = 0;
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
  if (!o.json) process.stdout.write(`${tasks.length - failed} of ${tasks.length} tasks hold (${sandbox})\n`);
  return failed === 0 ? 0 : 1;
}

interface Setting {
  readonly ports: BenchPorts;
  readonly sandbox: SandboxKind;
  readonly config: ResolvedConfig;
  readonly folder: string;
  readonly stop: AbortSignal;
}

function checkOne(task: Task, setting: Setting): Promise<CheckReport> {
  return checkTask(task, {
    runAs: (who) => runAs(task, who, setting),
    listImageFiles: () => listImageFiles(task, setting),
  });
}

/** One trial like any other, in a job of its own that is thrown away. */
async function runAs(
  task: Task,
  who: CheckedAgent,
  { ports, sandbox, config, folder, stop }: Setting,
): Promise<{ passed: boolean; detail: string }> {
  const name = who.type === "wrong" ? `wrong-${who.name}` : who.type;
  const agent: Agent = who.type === "wrong" ? { name, command: `sh "\${FORGE_SOLUTION:-/solution}/wrong/${who.name}.sh"` } : who.type;
  const out = join(folder, `${task.name.replaceAll("/", "_")}-${name}`);
  const request: BenchRequest = {
    suite: { name: task.name, digest: task.digest, tasks: [task] },
    configurations: [config],
    agent,
    repeats: 1,
    sandbox,
    jobs: 1,
    out,
    asked: { task: task.name },
  };
  let error = "";
  const result = await bench(request, ports, {
    stop,
    onEvent: (event) => void (event.type === "trial.end" && (error = event.record.error ?? "")),
  });
  const passed = result.configurations[0]?.passed === 1;
  return { passed, detail: passed ? "" : `${error} ${await verifierOutput(out)}`.trim() };
}

/** The end of what the verifier printed: where the reason stands. */
async function verifierOutput(out: string): Promise<string> {
  const files = await readdir(out, { recursive: true });
  const logs = files.filter((path) => /verifier[/\\](output|stdout)[^/\\]*$/.test(path));
  const texts = await Promise.all(logs.map((path) => readFile(join(out, path), "utf8").catch(() => "")));
  return texts.join("\n").trim().split("\n").slice(-5).join(" | ").slice(-500);
}

async function listImageFiles(task: Task, { ports, sandbox }: Setting): Promise<string[]> {
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
