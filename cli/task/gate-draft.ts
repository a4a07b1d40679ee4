import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseSandbox } from "../../evals/bench/choose-sandbox.ts";
import { CannotError, ForgeError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import type { CheckReport } from "../../evals/gate/check-task.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { checkConfig, gateTask } from "../../evals/gate/gate-task.ts";
import type { DraftFlags } from "./options.ts";

/** A task that was written; `sandbox`: where it was tried, null where it was not. */
export interface Drafted {
  readonly digest: string;
  readonly sandbox: string | null;
}

/** A quick look at a task that has just been written: real trials of its solution, of nothing, and of its wrong solutions. Throws the reason when stopped. */
export async function lookAtDraft(
  folder: string,
  asked: DraftFlags["sandbox"],
  stop: AbortSignal,
): Promise<CheckReport & { readonly sandbox: string }> {
  const task = await loadTask(folder);
  const ports = await createBenchPorts(process.env);
  const sandbox = await chooseSandbox(asked, [task], { ports, harmless: true });
  const config = await checkConfig(configRegistry);
  const scratch = await mkdtemp(join(tmpdir(), "forge-check-"));
  try {
    return { ...(await gateTask(task, { ports, sandbox, config, folder: scratch, stop }, { full: false, repeats: 1 })), sandbox };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What a check wants that the sandbox has not, by what a failed trial of the solution said. */
function missing({ lines }: CheckReport): string | undefined {
  const said = lines.find(({ check, ok }) => check === "the solution passes" && !ok)?.detail ?? "";
  if (/No module named '?pytest\b/.test(said)) return "pytest";
  const [, program] = /the command ended with 127: .*?([^\s:]+): (?:command )?not found/s.exec(said) ?? [];
  return program;
}

/** @throws CannotError where the sandbox has not what runs the check: that says nothing about the task */
export function requireRunner(report: CheckReport & { readonly sandbox: string }): void {
  const program = missing(report);
  if (program === undefined) return;
  const [where, cure] =
    report.sandbox === "docker"
      ? ["the task's image has no", "Install it by --setup, or name an image that has it by --image."]
      : [
          `${report.sandbox} has the programs of this machine, and finds no`,
          "Install it where all users find it, or add --sandbox docker, whose base image has pytest and node.",
        ];
  throw new CannotError(
    `The task could not be tried, and nothing was written: ${where} ${oneLine(program)}, which its check runs. ${cure}`,
  );
}

/** `hint`: a sentence on what may be behind it. @throws ForgeError with the first lines that do not hold, but for those that may fail */
export function requireHolding(report: CheckReport, mayFail: readonly string[] = [], hint = ""): void {
  const bad = report.lines.filter(({ ok, check }) => !ok && !mayFail.includes(check));
  if (bad.length === 0) return;
  const told = bad.slice(0, 3).map(({ check, detail }) => oneLine(`${check}: ${detail}`).replace(/[.\s]+$/, ""));
  throw new ForgeError(
    `The task fails its own gate, and nothing was written: ${told.join("; ")}. ${hint === "" ? "" : `${hint} `}Mend what it says, or add --untried to get the folder as it is.`,
  );
}
