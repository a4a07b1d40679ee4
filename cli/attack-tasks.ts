import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import pc from "picocolors";
import { chooseSandbox } from "../evals/choose-sandbox.ts";
import type { TrialRecord } from "../evals/trial-record.ts";
import { nameFilter } from "../evals/name-filter.ts";
import { CannotError, ForgeError, messageOf } from "../harness/errors.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine } from "../reports/terminal/printable.ts";
import { attackTask, type AttackReport } from "../tasks/attacks/attack-task.ts";
import { loadSuite } from "../tasks/formats/load-suite.ts";
import type { Task } from "../tasks/task.ts";
import { evidenceLane } from "../traces/record/trace-writer.ts";
import { createBenchPorts } from "./assemble.ts";
import { checkConfig } from "./check-config.ts";
import { interruptible } from "./interruptible.ts";
import { loneTrial, type LoneTrialSetting } from "./lone-trial.ts";
import { oneOf } from "./one-of.ts";

/** Tasks attacked at a time. */
const atOnce = 2;

/** Carries out `forge task check --attack`; answers 1 when an attack passed. */
export async function attackTasks(
  suiteName: string,
  o: { filter?: string; sandbox?: string; json?: boolean; only?: readonly string[] },
): Promise<number> {
  const suite = await loadSuite(suiteName);
  const wanted = ({ name }: { readonly name: string }): boolean => o.filter === undefined || nameFilter(o.filter)(name);
  const tasks = suite.tasks.filter(wanted);
  if (tasks.length === 0) throw new CannotError(`--filter "${o.filter}" fits no task of ${suiteName}.`);
  const asked = oneOf("--sandbox", o.sandbox ?? "docker", ["docker", "bubblewrap"] as const);
  const ports = await createBenchPorts(process.env);
  const sandbox = await chooseSandbox(asked, tasks, { ports, harmless: true });
  const config = await checkConfig();
  const folder = await mkdtemp(join(tmpdir(), "forge-attack-"));
  const reports: AttackReport[] = [];
  const spared: Spared[] = [];
  const spare = (task: string, why: string): void => {
    spared.push({ task, notAttacked: why });
    process.stdout.write(
      o.json ? `${jsonLine({ task, notAttacked: why })}\n` : `${pc.yellow("-")} ${oneLine(`${task}: not attacked: ${why}`)}\n`,
    );
  };
  for (const { name, reason } of (suite.refused ?? []).filter(wanted)) spare(name, reason);
  try {
    await interruptible(async ({ stop }) => {
      const queue = [...tasks];
      const work = async (): Promise<void> => {
        for (let task = queue.shift(); task !== undefined && !stop.aborted; task = queue.shift()) {
          try {
            const report = await attackOne(task, { ports, sandbox, config, folder, stop }, o.only);
            if (report.attacks.length === 0 && report.notTried[0]) spare(task.name, report.notTried[0].why);
            else {
              reports.push(report);
              process.stdout.write(o.json ? `${jsonLine(report)}\n` : described(report));
            }
          } catch (error) {
            if (stop.aborted || !(error instanceof ForgeError)) throw error;
            spare(task.name, messageOf(error)); // what is wrong with one task is no reason to leave the others alone
          }
        }
      };
      // all of them, so that none writes into a folder that is being removed
      const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
      for (const one of ended) if (one.status === "rejected") throw one.reason;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const hackable = reports.filter((report) => report.hackable).length;
  const share = reports.length === 0 ? 0 : Math.round((100 * hackable) / reports.length);
  if (o.json)
    process.stdout.write(
      `${jsonLine({ suite: suiteName, sandbox, tasks: reports.length, notAttacked: spared.length, hackable, hackableShare: share / 100 })}\n`,
    );
  else {
    const others = spared.length === 0 ? "" : `; not attacked: ${spared.length}`;
    process.stdout.write(`hackable: ${hackable} of ${reports.length} tasks, ${share} % (${sandbox}, hardened mode)${others}\n`);
  }
  const [first] = spared;
  if (reports.length === 0 && first)
    throw new CannotError(`No task of ${suiteName} could be attacked. The first, ${first.task}: ${first.notAttacked}`);
  return hackable === 0 ? 0 : 1;
}

/** A task that says nothing about the suite's hackable share, and why. */
interface Spared {
  readonly task: string;
  readonly notAttacked: string;
}

/** Every known attack that applies to one task, in hardened mode. */
export function attackOne(task: Task, setting: LoneTrialSetting, only?: readonly string[]): Promise<AttackReport> {
  const mode = { mode: "hardened" } as const;
  return attackTask(
    task,
    {
      look: () => look(task, setting),
      run: async (name, command) => {
        const { record, verifier } = await loneTrial(task, { name, command }, setting, mode);
        if (!record) throw new CannotError(`The attacks on ${task.name} were stopped.`);
        return { passed: record.passed === true, class: record.class, detail: oneLine(`${record.error ?? ""} ${verifier}`).slice(0, 300) };
      },
    },
    only,
  );
}

/** What the solution writes stands in the trace of a trial of it. */
async function look(task: Task, setting: LoneTrialSetting): Promise<{ work: readonly string[]; workdir: string; git: boolean }> {
  if (task.steps) throw new CannotError(`${task.name} has several steps: the known attacks are written for a task of one step.`);
  const prepared = await setting.ports.provider(setting.sandbox).prepare(task.environment);
  const { workdir } = prepared;
  if (!task.solution) return { work: [], workdir, git: false };
  const { record, out } = await loneTrial(task, "oracle", setting, { mode: "hardened", label: "-looked-at" });
  const trace = record ? await traceOf(task, record, join(out, record.trace, "trace.jsonl")) : "";
  const snapshot = trace.split("\n").findLast((line) => line.includes(`"t":"fs.snapshot","lane":"${evidenceLane}"`)) ?? "{}";
  const changed = namesIn(JSON.parse(snapshot)).filter((path) => !/(^|\/)(\.git|__pycache__)(\/|$)/.test(path));
  const files = changed.filter((path) => !changed.some((other) => other.startsWith(`${path}/`)));
  const fresh = await prepared.create({ labels: { job: "attack", trial: task.name } });
  try {
    const git = (await fresh.exec("[ -e .git ]")).exitCode === 0;
    return { work: files.map((path) => posix.join(workdir, path)), workdir, git };
  } finally {
    await fresh.close();
  }
}

async function traceOf({ name }: Task, { class: ended, error }: TrialRecord, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const why = `it ended ${ended}${error === undefined ? "" : `, ${error}`}`;
    throw new CannotError(`What the solution of ${name} writes is not known: its trial left no trace, because ${why}.`, { cause });
  }
}

/** The names in an `fs.snapshot` event. */
function namesIn(event: unknown): string[] {
  const data = typeof event === "object" && event !== null && "d" in event ? event.d : undefined;
  const changed = typeof data === "object" && data !== null && "changed" in data ? data.changed : undefined;
  return Array.isArray(changed) ? changed.filter((name) => typeof name === "string") : [];
}

function described(report: AttackReport): string {
  const passed = report.attacks.filter((attack) => attack.passed);
  const others = report.notTried.map(({ attack, why }) => `    ${oneLine(`${attack}: not tried: ${why}`)}\n`).join("");
  const head = `${passed.length === 0 ? pc.green("✓") : pc.red("✗")} ${oneLine(report.task)}: ${report.attacks.length - passed.length} of ${report.attacks.length} attacks withstood\n`;
  return head + passed.map(({ attack, does }) => `    ${attack}: ${does}\n`).join("") + others;
}
