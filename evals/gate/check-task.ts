import type { ImageSecrets } from "../../harness/sandbox/docker/image/image-secrets.ts";
import { line, type CheckLine } from "./check-line.ts";
import { agreement, agrees, unusableChecks, type AskedCheck } from "./agreement.ts";
import { conditions, type Condition } from "./conditions/condition.ts";
import { cannotDisturb } from "./conditions/disturbed-task.ts";
import { hidesItInLayers, hidesItsAnswers } from "./hidden/hidden.ts";
import { withinLimits, type Measured } from "./resources.ts";
import { hasSolution } from "../../tasks/has-solution.ts";
import type { Task } from "../../tasks/task.ts";

/** Who solves the task in a check; `runAs` runs it like any agent, in a trial. `plan`: a simulated model that makes no mistake. */
export type CheckedAgent =
  { readonly type: "oracle" } | { readonly type: "plan" } | { readonly type: "nop" } | { readonly type: "wrong"; readonly name: string };

/** How one checked trial came out; `detail` is what its verifier said, or why there is no reward. */
export interface CheckedTrial {
  readonly passed: boolean;
  readonly detail: string;
  readonly measured?: Measured;
  /** Of a plan: the command of the first of its steps with `check: true` that failed. */
  readonly failedCheck?: string;
  /** Why the condition asked for could not be made in this sandbox. */
  readonly notTried?: string;
}

export interface CheckReport {
  readonly task: string;
  readonly digest: string;
  readonly ok: boolean;
  readonly lines: readonly CheckLine[];
  /** Each thing that is checked with the words that ask for it: for a reader. Empty in a quick look. */
  readonly asks: readonly AskedCheck[];
}

/** What a check needs from above: trials, and a look into the built image. */
export interface CheckPorts {
  runAs(who: CheckedAgent, condition?: Condition): Promise<CheckedTrial>;
  /** Absolute paths of the files in the image (or prepared environment) as the agent finds it. Left out: that check is not made. */
  listImageFiles?(): Promise<readonly string[]>;
  /** Layers, history and configuration of the image. Left out: there is no image. */
  imageSecrets?(): Promise<ImageSecrets>;
  /** The names of known attacks that passed, of how many, and of those that the machine kept from being tried. Left out: none are let loose. */
  attack?(): Promise<{ readonly tried: number; readonly passed: readonly string[]; readonly notTried: readonly string[] }>;
}

/** A quick look, or the whole gate with so many trials of the solution; `only`: that these circumstances do not matter, and nothing else. */
export interface CheckDepth {
  readonly full: boolean;
  readonly repeats: number;
  readonly only?: readonly Condition[];
}

/**
 * Gates a task. A quick look: its metadata and plan are complete, nothing that must stay hidden lies in its environment, its solution and its plan pass,
 * and neither doing nothing nor any of its wrong solutions does. In full, also: the solution passes each time, whatever network, clock, locale and order of files; the
 * image's layers and history give nothing away; known attacks fail; limits leave room; what is checked is asked for. Trials run one after the other.
 * Throws only what the ports throw.
 */
export async function checkTask(task: Task, ports: CheckPorts, depth: CheckDepth = { full: false, repeats: 1 }): Promise<CheckReport> {
  if (depth.only) {
    const lines = await heedsNo(depth.only, task, ports);
    return { task: task.name, digest: task.digest, ok: lines.every(({ ok }) => ok), lines, asks: [] };
  }
  const unusable = await unusableChecks(task);
  const asked = unusable === undefined && depth.full ? await agrees(task) : { lines: [], asks: [] };
  const lines = [
    ...describesItself(task),
    ...(unusable === undefined ? asked.lines : [line(agreement, false, unusable)]),
    ...(await hidesItsAnswers(task, ports.listImageFiles)),
    ...(depth.full && ports.imageSecrets ? await hidesItInLayers(task, await ports.imageSecrets()) : []),
    // Every trial would end with the verifier's own failure.
    ...(unusable === undefined ? await tried(task, ports, depth) : []),
  ];
  return { task: task.name, digest: task.digest, ok: lines.every(({ ok }) => ok), lines, asks: asked.asks };
}

async function tried(task: Task, ports: CheckPorts, depth: CheckDepth): Promise<CheckLine[]> {
  const lines = await scores(task, ports, depth);
  const passes = lines.every(({ check, ok }) => check !== solutionPasses || ok);
  return depth.full ? [...lines, ...(await standsFirm(task, ports, passes))] : lines;
}

const solutionPasses = "the solution passes";

function describesItself(task: Task): CheckLine[] {
  const { difficulty, family, split } = task.metadata;
  const absent = Object.entries({ difficulty, family, split }).flatMap(([key, value]) => (value === undefined ? [key] : []));
  return [
    line("instruction", task.instruction.trim() !== "", "instruction.md is empty; write what the agent is to do."),
    line("metadata", absent.length === 0, `task.toml lacks ${absent.join(", ")}; set them in [metadata] or [metadata.forge].`),
    line("known keys", task.warnings.length === 0, task.warnings.join(" ")),
    task.steps
      ? line("plan", true, "", "not tried: it would be of one step")
      : line("plan", task.plan !== undefined, "solution/plan.yaml is missing; the simulated model needs it to try the task."),
  ];
}

async function scores(task: Task, ports: CheckPorts, { full, repeats }: CheckDepth): Promise<CheckLine[]> {
  const lines = [
    line("has a solution", hasSolution(task), "solution/solve.sh is missing; without it nothing shows that the task can be solved."),
  ];
  if (hasSolution(task)) {
    const runs: CheckedTrial[] = [];
    for (let i = 0; i < repeats && runs.every(({ passed }) => passed); i++) runs.push(await ports.runAs({ type: "oracle" }));
    const failure = runs.find(({ passed }) => !passed);
    const which = repeats > 1 ? `trial ${runs.length} of ${repeats}: ` : "";
    lines.push(line(solutionPasses, !failure, `${which}${failure?.detail}`, repeats > 1 ? `${repeats} times of ${repeats}` : undefined));
    // A solution that fails says all that there is to say.
    if (!failure && task.plan && !task.steps) {
      const { passed, detail, failedCheck } = await ports.runAs({ type: "plan" });
      const why = passed
        ? `a step of solution/plan.yaml with check: true fails, although the task is solved: ${failedCheck}`
        : `what solution/plan.yaml does does not solve the task: ${detail}`;
      lines.push(line("the plan passes", passed && failedCheck === undefined, why));
    }
    if (full)
      lines.push(
        ...withinLimits(
          task,
          runs.map(({ measured }) => measured).filter((one) => one !== undefined),
        ),
      );
  }
  lines.push(...(await refusesTheRest(task, (who) => ports.runAs(who))));
  return lines;
}

async function refusesTheRest(task: Task, runAs: (who: CheckedAgent) => Promise<CheckedTrial>, where = ""): Promise<CheckLine[]> {
  const nop = await runAs({ type: "nop" });
  const lines = [
    line(`doing nothing fails${where}`, !nop.passed, "the verifier passes although nothing was done; let it check what the task requires."),
  ];
  // A step with a solution of its own has no other beside it.
  if (task.steps?.some(({ solution }) => solution?.folder !== task.solution?.folder))
    return where === "" ? [...lines, line("has wrong solutions", true, "", "not tried: steps have solutions of their own")] : lines;
  if (where === "")
    lines.push(
      line("has wrong solutions", task.wrong.length > 0, "solution/wrong/ holds no script; add a plausible mistake that must fail."),
    );
  for (const { name } of task.wrong) {
    const wrong = await runAs({ type: "wrong", name });
    lines.push(
      line(`wrong solution ${name} fails${where}`, !wrong.passed, `solution/wrong/${name}.sh passes; the verifier misses its mistake.`),
    );
  }
  return lines;
}

/** `passes`: whether the solution does, undisturbed, as far as it was tried. */
async function heedsNo(circumstances: readonly Condition[], task: Task, ports: CheckPorts, passes = true): Promise<CheckLine[]> {
  const lines: CheckLine[] = [];
  for (const condition of circumstances) {
    const check = condition === "network off" ? "passes with the network off" : `does not depend on: ${condition}`;
    const cannot = !hasSolution(task)
      ? "there is no solution to try"
      : passes
        ? cannotDisturb(task, condition)
        : "the solution fails as it is";
    if (cannot !== undefined) {
      lines.push(line(check, true, "", `not tried: ${cannot}`));
      continue;
    }
    const { passed, detail, notTried } = await ports.runAs({ type: "oracle" }, condition);
    lines.push(line(check, passed, `the solution fails then: ${detail}`, notTried === undefined ? undefined : `not tried: ${notTried}`));
    if (condition === "network off")
      lines.push(...(await refusesTheRest(task, (who) => ports.runAs(who, condition), " with the network off")));
  }
  return lines;
}

/** Under other circumstances, which only a solution that passes can depend on, and against agents that would rather pass than solve. */
async function standsFirm(task: Task, ports: CheckPorts, passes: boolean): Promise<CheckLine[]> {
  const lines = await heedsNo(conditions, task, ports, passes);
  if (!ports.attack)
    return [
      ...lines,
      line("known attacks fail", true, "", "not tried: only a container of a task with [metadata.forge] keeps work and verifier apart"),
    ];
  const { tried, passed, notTried } = await ports.attack();
  lines.push(
    line(
      "known attacks fail",
      passed.length === 0,
      `without solving it, passed: ${passed.join(", ")}; docs/lab/attacks.md in the repository of Forge shows what each does.`,
      `${tried} tried${notTried.length > 0 ? `; not tried: ${notTried.join(", ")}` : ""}`,
    ),
  );
  return lines;
}
