import { readFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { CannotError } from "../../../harness/errors.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { attackTask, type AttackReport } from "./attack-task.ts";
import { hasSolution } from "../../../tasks/has-solution.ts";
import type { Task } from "../../../tasks/task.ts";
import { evidenceLane } from "../../../traces/record/trace-writer.ts";
import { loneTrial, type LoneTrialSetting } from "../lone-trial.ts";
import { filesOf, workOfSteps } from "./work-of-steps.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";

/** Every known attack that applies to one task, in hardened mode. */
export function attackOne(task: Task, setting: LoneTrialSetting, only?: readonly string[]): Promise<AttackReport> {
  const mode = { mode: "hardened" } as const;
  return attackTask(
    task,
    {
      look: () => look(task, setting),
      run: async (name, command, step) => {
        const agent = { name, command };
        const { record, verifier } = await (step === undefined
          ? loneTrial(task, agent, setting, mode)
          : loneTrial(await attackedStep(task, step, agent, setting.folder), "oracle", setting, { ...mode, label: `-${name}-${step}` }));
        if (!record) throw new CannotError(`The attacks on ${task.name} were stopped.`);
        return { passed: record.passed === true, class: record.class, detail: oneLine(`${record.error ?? ""} ${verifier}`).slice(0, 300) };
      },
    },
    only,
  );
}

/** What the solution writes stands in the trace of a trial of it, and of a task in steps in what was kept of each. */
async function look(
  task: Task,
  setting: LoneTrialSetting,
): Promise<{ work: readonly (readonly string[])[]; workdir: string; git: boolean; home?: string; path?: readonly string[] }> {
  const prepared = await setting.ports.provider(setting.sandbox).prepare(task.environment, { signal: setting.stop });
  const { workdir } = prepared;
  if (task.steps && !hasSolution(task))
    throw new CannotError(
      `${task.name} has no solution of every step, so what an agent that attacks one of them must do in the others is not known.`,
    );
  const work = hasSolution(task) ? await workOf(task, setting, workdir) : [];
  const fresh = await prepared.create({ labels: { job: "attack", trial: task.name } });
  try {
    const git = hasSolution(task) && (await fresh.exec("[ -e .git ]")).exitCode === 0;
    const asked = await fresh.exec(`printf '%s\\n' ~ "$PATH"`);
    const [home = "", path = ""] = new TextDecoder().decode(asked.stdout).split("\n");
    return { work, workdir, git, ...(home.startsWith("/") ? { home } : {}), path: path.split(":") };
  } finally {
    await fresh.close();
  }
}

async function workOf(task: Task, setting: LoneTrialSetting, workdir: string): Promise<readonly (readonly string[])[]> {
  const { record, out } = await loneTrial(task, "oracle", setting, { mode: "hardened", label: "-looked-at" });
  return task.steps ? workOfSteps(task, task.steps, { record, out, workdir }) : [filesOf(await snapshotOf(task, record, out), workdir)];
}

async function snapshotOf(task: Task, record: TrialRecord | undefined, out: string): Promise<string[]> {
  const trace = record ? await traceOf(task, record, join(out, record.trace, "trace.jsonl")) : "";
  const snapshot = trace.split("\n").findLast((line) => line.includes(`"t":"fs.snapshot","lane":"${evidenceLane}"`)) ?? "{}";
  return namesIn(JSON.parse(snapshot));
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

/**
 * The same task with an attack for one step's solution: whoever solves it does the other steps as they are meant.
 * @param folder for the changed solutions, which must last as long as the task is used
 */
async function attackedStep(
  task: Task,
  step: number,
  attack: { readonly name: string; readonly command: string },
  folder: string,
): Promise<Task> {
  const digest = sha256(JSON.stringify([task.digest, step, attack]));
  const own = join(folder, `attack-${digest}`);
  const script = join(own, "solve.sh");
  await mkdir(own, { recursive: true });
  await writeFile(script, attack.command);
  const steps = task.steps?.map((one, i) => (i === step ? { ...one, solution: { folder: own, script, env: {} } } : one));
  return { ...task, digest, ...(steps && { steps }) };
}
