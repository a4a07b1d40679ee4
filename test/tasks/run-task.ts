import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";

/**
 * Who works on the task before it is verified. `plan` and `slip` are the steps of its plan file, carried out one after the other; `shell` is a way of its
 * own, in which the solution can be called by `bash "$SOLVE"`.
 */
export type Who =
  | { type: "oracle" }
  | { type: "nop" }
  | { type: "wrong"; name: string }
  | { type: "plan" }
  | { type: "slip" }
  | { type: "shell"; script: string };

/** Who tries again what was held before: its solution passes, its first wrong solution fails. */
export const solvedAndNot = ({ wrong }: Task): (readonly [Who, passes: boolean])[] => [
  [{ type: "oracle" }, true],
  ...wrong.slice(0, 1).map(({ name }) => [{ type: "wrong", name }, false] as const),
];

interface Ran {
  readonly passed: boolean;
  readonly detail: string;
}

export interface TaskRunner {
  run(who: Who): Promise<Ran>;
  /** Each as by `run`, one after the other in one sandbox, whose workdir is put back between them. */
  runAll(all: readonly Who[]): Promise<Ran[]>;
  /** Paths of the files of the prepared environment, without the system's own. */
  listImageFiles(): Promise<string[]>;
}

/** Runs a task in a sandbox of its own each time: someone's work, then the verifier in the same place, then the reward is read. No agent, no trial. */
export async function createTaskRunner(task: Task, provider: SandboxProvider): Promise<TaskRunner> {
  const prepared = await provider.prepare(task.environment);
  const inSandbox = async <T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T> => {
    const sandbox = await prepared.create({ labels: { job: "tasks", trial: task.name }, env: task.environment.env });
    try {
      return await use(sandbox);
    } finally {
      await sandbox.close();
    }
  };
  const tried = async (who: Who, sandbox: Sandbox): Promise<Ran> => {
    const said = await work(task, who, sandbox);
    // As in a hardened trial: tests that were given are put back.
    const given = join(task.verifier.testsFolder, "given");
    if (task.forge && existsSync(given)) await sandbox.upload(given, sandbox.workdir);
    await sandbox.upload(task.verifier.testsFolder, "/tests");
    const verified = await run(sandbox, 'bash "${FORGE_TESTS:-/tests}/test.sh"', task.verifier.timeoutMs);
    const written = await sandbox.readFile("/logs/verifier/reward.txt");
    const reward = written === undefined ? "none" : new TextDecoder().decode(written).trim();
    return { passed: reward === "1", detail: `${JSON.stringify(who)}\n${said}${verified.output}reward: ${reward}` };
  };
  return {
    run: (who) => inSandbox((sandbox) => tried(who, sandbox)),
    runAll: (all) =>
      inSandbox(async (sandbox) => {
        await run(sandbox, "cp -a . /tmp/found");
        const ran: Ran[] = [];
        for (const who of all) {
          ran.push(await tried(who, sandbox));
          await sandbox.endProcesses();
          await run(sandbox, "find . -mindepth 1 -delete; cp -a /tmp/found/. .; rm -rf /logs/verifier/* /tests/*");
        }
        return ran;
      }),
    listImageFiles: () =>
      inSandbox(async (sandbox) => {
        const found = await run(sandbox, "find / \\( -path /usr -o -path /etc -o -path /proc -o -path /dev \\) -prune -o -type f -print");
        return found.output.split("\n").filter(Boolean);
      }),
  };
}

/** Those that end otherwise, each a script of its own where it is a text, by `runAll`. */
export async function endOtherwise(
  runner: TaskRunner,
  cases: readonly (readonly [passes: boolean, who: string | Who])[],
): Promise<readonly Ran[]> {
  const ran = await runner.runAll(cases.map(([, who]) => (typeof who === "string" ? { type: "shell", script: who } : who)));
  return ran.filter(({ passed }, i) => passed !== cases[i]?.[0]);
}

async function work(task: Task, who: Who, sandbox: Sandbox): Promise<string> {
  if (who.type === "nop") return "";
  if (who.type === "oracle" || who.type === "wrong" || who.type === "shell") {
    if (!task.solution) throw new Error(`${task.name} has no solution/`);
    await sandbox.upload(task.solution.folder, "/solution");
    if (who.type === "shell") {
      const { output, exitCode } = await run(sandbox, `set -e\nSOLVE="\${FORGE_SOLUTION:-/solution}/solve.sh"\n${who.script}`);
      if (exitCode !== 0) throw new Error(`${task.name}: the script ends with ${exitCode}: ${output}`);
      return output;
    }
    const script = who.type === "oracle" ? "solve.sh" : `wrong/${who.name}.sh`;
    return (await run(sandbox, `bash "\${FORGE_SOLUTION:-/solution}/${script}"`)).output;
  }
  let said = "";
  for (const step of (who.type === "plan" ? task.plan?.steps : task.plan?.slip) ?? []) {
    for (const call of step.calls) {
      const { output, exitCode } = await run(sandbox, String(call.args["command"]));
      said += output;
      if (step.check && who.type === "plan" && exitCode !== 0) throw new Error(`${task.name}: the plan's check failed: ${said}`);
    }
  }
  return said;
}

async function run(sandbox: Sandbox, command: string, timeoutMs = 60_000): Promise<{ output: string; exitCode: number | null }> {
  const { stdout, stderr, exitCode } = await sandbox.exec(command, { shell: "bash", timeoutMs });
  const text = new TextDecoder();
  return { output: text.decode(stdout) + text.decode(stderr), exitCode };
}
