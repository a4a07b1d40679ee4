import { plural } from "../../harness/text/figures.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { chooseSandbox } from "../../evals/bench/choose-sandbox.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { CannotError } from "../../harness/errors.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { hanging } from "../../reports/text/wrapped.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import type { CheckDepth, CheckReport } from "../../evals/gate/check-task.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { checkConfig, gateTask } from "../../evals/gate/gate-task.ts";
import { interruptible } from "../shared/interruptible.ts";
import type { CheckFlags } from "./options.ts";

/** Carries out `forge task check`; answers the exit code. */
export async function checkTasks(suiteName: string, o: CheckFlags): Promise<number> {
  let failed = 0;
  const { checked, sandbox } = await checkEach(suiteName, o, (report) => {
    if (!report.ok) failed++;
    show(report, o);
  });
  if (!o.json) process.stdout.write(`${checked - failed} of ${plural(checked, "task")} passed (${sandbox})\n`);
  return failed === 0 ? 0 : 1;
}

/** Checks the tasks of a suite and tells each report as it comes; one that cannot be loaded is a report too. */
async function checkEach(
  suiteName: string,
  o: Omit<CheckFlags, "json">,
  onReport: (report: CheckReport) => void,
): Promise<{ readonly checked: number; readonly sandbox: string }> {
  const depth: CheckDepth = { full: o.full === true, repeats: o.repeats ?? (o.full ? 10 : 1) };
  const suite = await loadSuite(suiteName);
  const wanted = ({ name }: { readonly name: string }): boolean => o.filter === undefined || nameFilter(o.filter)(name);
  const tasks = suite.tasks.filter(wanted);
  const refused = (suite.refused ?? []).filter(wanted);
  if (tasks.length === 0) throw new CannotError(`--filter "${o.filter}" matches no task of ${suiteName}.`);
  const ports = await createBenchPorts(process.env, { onFallback: (sentence) => void process.stderr.write(`${oneLine(sentence)}\n`) });
  const sandbox = await chooseSandbox(o.sandbox, tasks, { ports, harmless: true });
  const config = await checkConfig(configRegistry);
  const folder = await mkdtemp(join(tmpdir(), "forge-check-"));
  for (const { name, reason } of refused)
    onReport({ task: name, digest: "", ok: false, asks: [], lines: [{ check: "loads", ok: false, detail: reason }] });
  let done = 0;
  try {
    await interruptible(
      async ({ stop }) => {
        const queue = [...tasks];
        const work = async (): Promise<void> => {
          for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
            stop.throwIfAborted();
            const own = await mkdtemp(join(folder, "task-"));
            onReport(await gateTask(task, { ports, sandbox, config, folder: own, stop }, depth));
            done++;
            await rm(own, { recursive: true, force: true });
          }
        };
        await allEnded(Array.from({ length: o.jobs ?? 2 }, work));
      },
      () => `${done} of ${plural(tasks.length, "task")} checked`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { checked: tasks.length + refused.length, sandbox };
}

function show(report: CheckReport, { json, full }: CheckFlags): void {
  if (json) {
    process.stdout.write(`${jsonLine(report)}\n`);
    return;
  }
  process.stdout.write(`${report.ok ? pc.green("✓") : pc.red("✗")} ${oneLine(report.task)}\n`);
  for (const { check, ok, detail, note } of report.lines) {
    if (!ok) process.stdout.write(`    ${pc.red("✗")} ${hanging(`${check}: ${detail}`, pageWidth() - 6).replaceAll("\n", "\n    ")}\n`);
    else if (full) process.stdout.write(`    ${pc.green("✓")} ${oneLine(note === undefined ? check : `${check} (${note})`)}\n`);
  }
  if (report.asks.length > 0) process.stdout.write("    checked, and the words of the instruction that require it:\n");
  for (const { check, asked } of report.asks) process.stdout.write(`${hanging(`      ${oneLine(check)} ← “${oneLine(asked)}”`)}\n`);
}

/** Waits for all of them, so that none writes into a folder that is being removed, and throws what the first that failed threw. */
export async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(works)) if (one.status === "rejected") throw one.reason;
}
