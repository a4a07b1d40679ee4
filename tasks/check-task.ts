import { join } from "node:path";
import { listFiles } from "./formats/digest-folder.ts";
import type { Task } from "./task.ts";

/** Who solves the task in a check; `runAs` runs it like any agent, in a trial. */
export type CheckedAgent = { readonly type: "oracle" } | { readonly type: "nop" } | { readonly type: "wrong"; readonly name: string };

/** One line of a report: what was asked of the task, whether it holds, and where it does not, why and what to do. */
export interface CheckLine {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface CheckReport {
  readonly task: string;
  readonly digest: string;
  readonly ok: boolean;
  readonly lines: readonly CheckLine[];
}

/** What a check needs from above: trials, and a look into the built image. */
export interface CheckPorts {
  /** One trial; `detail` is what its verifier said, or why there is no reward. */
  runAs(who: CheckedAgent): Promise<{ passed: boolean; detail: string }>;
  /** Absolute paths of the files in the image (or prepared environment) as the agent finds it. Left out: that check is not made. */
  listImageFiles?(): Promise<readonly string[]>;
}

/**
 * Gates a task: its metadata and plan are complete, nothing that must stay hidden lies in its environment, its solution passes, and neither
 * doing nothing nor any of its wrong solutions does. Trials run one after the other. Throws only what `runAs` throws.
 */
export async function checkTask(task: Task, ports: CheckPorts): Promise<CheckReport> {
  const lines = [...describesItself(task), ...(await hidesItsAnswers(task, ports)), ...(await scores(task, ports))];
  return { task: task.name, digest: task.digest, ok: lines.every((line) => line.ok), lines };
}

function describesItself(task: Task): CheckLine[] {
  const { difficulty, family, split } = task.metadata;
  const absent = Object.entries({ difficulty, family, split }).flatMap(([key, value]) => (value === undefined ? [key] : []));
  return [
    line("instruction", task.instruction.trim() !== "", "instruction.md is empty; write what the agent is asked to do."),
    line("metadata", absent.length === 0, `task.toml lacks ${absent.join(", ")}; set them in [metadata] or [metadata.forge].`),
    line("known keys", task.warnings.length === 0, task.warnings.join(" ")),
    line("plan", task.plan !== undefined, "solution/plan.yaml is missing; the simulated model needs it to try the task."),
  ];
}

async function hidesItsAnswers(task: Task, ports: CheckPorts): Promise<CheckLine[]> {
  const { folder } = task.environment;
  const visible = folder === undefined ? [] : await listFiles(folder);
  const given = new Set(visible.map((file) => file.sha256));
  const tests = await listFiles(task.verifier.testsFolder);
  const pristine = tests.filter((file) => file.path.startsWith("given/"));
  const hidden = [
    ...tests.filter((file) => !pristine.includes(file)).map((file) => ({ ...file, path: `tests/${file.path}` })),
    ...(task.solution ? await listFiles(task.solution.folder) : []).map((file) => ({ ...file, path: `solution/${file.path}` })),
  ];
  const shown = hidden.filter((file) => given.has(file.sha256)).map((file) => file.path);
  const strange = pristine.filter((file) => !given.has(file.sha256)).map((file) => `tests/${file.path}`);
  const found = [
    line(
      "nothing hidden in environment/",
      shown.length === 0,
      `the agent can read ${shown.join(", ")} in environment/; take the copy out.`,
    ),
    line("given tests are pristine", strange.length === 0, `${strange.join(", ")} is not what environment/ gives the agent; copy it anew.`),
  ];
  if (!ports.listImageFiles) return found;
  const inImage = (await ports.listImageFiles()).filter((path) => /^\/(tests|solution)\/./.test(path) || namesHidden(path, hidden));
  return [...found, line("nothing hidden in the image", inImage.length === 0, `the image holds ${inImage.join(", ")}; do not COPY it.`)];
}

/** A file of the image that ends like a hidden one with a folder before its name, such as `/app/solution/solve.sh`. */
function namesHidden(path: string, hidden: readonly { readonly path: string }[]): boolean {
  return hidden.some((file) => path.endsWith(join("/", file.path)));
}

async function scores(task: Task, ports: CheckPorts): Promise<CheckLine[]> {
  const lines = [
    line(
      "has a solution",
      task.solution !== undefined,
      "solution/solve.sh is missing; without it nobody knows that the task can be solved.",
    ),
  ];
  if (task.solution) {
    const oracle = await ports.runAs({ type: "oracle" });
    lines.push(line("the solution passes", oracle.passed, oracle.detail));
  }
  const nop = await ports.runAs({ type: "nop" });
  lines.push(
    line("doing nothing fails", !nop.passed, "the verifier is content although nothing was done; let it check what the task asks for."),
  );
  lines.push(
    line("has wrong solutions", task.wrong.length > 0, "solution/wrong/ holds no script; add a plausible mistake that must fail."),
  );
  for (const { name } of task.wrong) {
    const wrong = await ports.runAs({ type: "wrong", name });
    lines.push(line(`wrong solution ${name} fails`, !wrong.passed, `solution/wrong/${name}.sh passes; the verifier misses its mistake.`));
  }
  return lines;
}

const line = (check: string, ok: boolean, otherwise: string): CheckLine => ({ check, ok, detail: ok ? "" : otherwise });
