import { plural } from "../../harness/text/figures.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { chooseSandbox } from "../../evals/bench/choose-sandbox.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { CannotError, ConfigError, ForgeError, messageOf } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { attackName, type AttackReport } from "../../evals/gate/attacks/attack-task.ts";
import { attacks } from "../../evals/gate/attacks/attacks.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { allEnded } from "./check-tasks.ts";
import { attackOne } from "../../evals/gate/attacks/attack-one.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { checkConfig } from "../../evals/gate/gate-task.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import { oneOf } from "../shared/one-of.ts";

/** Tasks attacked at a time. */
const atOnce = 2;

/** Carries out `forge task check --attack`; answers 1 when an attack passed. */
export async function attackTasks(
  suiteName: string,
  o: { filter?: string; sandbox?: string; json?: boolean; /** Names with commas between them; left out: all that apply. */ only?: string },
): Promise<number> {
  const only = o.only === undefined ? undefined : attacksNamed(o.only);
  const suite = await loadSuite(suiteName);
  const wanted = ({ name }: { readonly name: string }): boolean => o.filter === undefined || nameFilter(o.filter)(name);
  const tasks = suite.tasks.filter(wanted);
  if (tasks.length === 0) throw new CannotError(`--filter "${o.filter}" matches no task of ${suiteName}.`);
  const asked = oneOf("--sandbox", o.sandbox ?? "docker", ["docker", "bubblewrap"] as const);
  const ports = await createBenchPorts(process.env);
  const sandbox = await chooseSandbox(asked, tasks, { ports, harmless: true });
  const config = await checkConfig(configRegistry);
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
    await interruptible(
      async ({ stop }) => {
        const queue = [...tasks];
        const work = async (): Promise<void> => {
          for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
            stop.throwIfAborted();
            try {
              const report = await attackOne(task, { ports, sandbox, config, folder, stop }, only);
              if (report.attacks.length === 0) spare(task.name, whyNone(report));
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
        await allEnded(Array.from({ length: atOnce }, work));
      },
      () => `${reports.length} of ${plural(tasks.length, "task")} attacked`,
    );
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
    process.stdout.write(`hackable: ${hackable} of ${plural(reports.length, "task")}, ${share} % (${sandbox}, hardened mode)${others}\n`);
  }
  const [first] = spared;
  if (reports.length === 0 && first)
    throw new CannotError(`No task of ${suiteName} could be attacked. The first, ${first.task}: ${first.notAttacked}`);
  return hackable === 0 ? 0 : 1;
}

/** Names as the user gave them, each once. */
function attacksNamed(list: string): readonly string[] {
  const names = [...new Set(namesListed(list))];
  const unknown = names.find((name) => !attacks.some((attack) => attack.name === name));
  if (unknown === undefined) return names;
  const known = attacks.map(({ name }) => name).join(", ");
  throw new ConfigError(`--attack: there is no attack "${unknown}". Choose among ${known}, or give no name for all that apply.`);
}

const whyNone = ({ notTried: [first] }: AttackReport): string =>
  first === undefined ? "no known attack applies to it." : `${attackName(first)}: ${first.why}`;

/** A task that says nothing about the suite's hackable share, and why. */
interface Spared {
  readonly task: string;
  readonly notAttacked: string;
}

function described(report: AttackReport): string {
  const passed = report.attacks.filter((attack) => attack.passed);
  const others = report.notTried.map(({ why, ...which }) => `    ${oneLine(`${attackName(which)}: not tried: ${why}`)}\n`).join("");
  const head = `${passed.length === 0 ? pc.green("✓") : pc.red("✗")} ${oneLine(report.task)}: ${report.attacks.length - passed.length} of ${report.attacks.length} attacks withstood\n`;
  return head + passed.map(({ does, ...which }) => `    ${oneLine(attackName(which))}: ${does}\n`).join("") + others;
}
