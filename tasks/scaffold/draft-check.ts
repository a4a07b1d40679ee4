import { CannotError, ForgeError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** A task that was written; `sandbox`: where it was tried, null where it was not. */
export interface Drafted {
  readonly digest: string;
  readonly sandbox: string | null;
}

/** What real trials of a draft showed: of its solution, of nothing, and of its wrong solutions. */
export interface DraftCheck extends Drafted {
  readonly sandbox: string;
  readonly lines: readonly { readonly check: string; readonly ok: boolean; readonly detail: string }[];
}

/** Tries the draft in this folder. Throws the reason when stopped. */
export type TryDraft = (folder: string, stop: AbortSignal) => Promise<DraftCheck>;

/** What a check wants that the sandbox has not, by what a failed trial of the solution said. */
function missing({ lines }: DraftCheck): string | undefined {
  const said = lines.find(({ check, ok }) => check === "the solution passes" && !ok)?.detail ?? "";
  if (/No module named '?pytest\b/.test(said)) return "pytest";
  const [, program] = /the command ended with 127: .*?([^\s:]+): (?:command )?not found/s.exec(said) ?? [];
  return program;
}

/** @throws CannotError where the sandbox has not what runs the check: that says nothing about the task */
export function requireRunner(report: DraftCheck): void {
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
export function requireHolding(report: DraftCheck, mayFail: readonly string[] = [], hint = ""): void {
  const bad = report.lines.filter(({ ok, check }) => !ok && !mayFail.includes(check));
  if (bad.length === 0) return;
  const told = bad.slice(0, 3).map(({ check, detail }) => oneLine(`${check}: ${detail}`).replace(/[.\s]+$/, ""));
  throw new ForgeError(
    `The task fails its own gate, and nothing was written: ${told.join("; ")}. ${hint === "" ? "" : `${hint} `}Correct that, or add --untried to get the folder as it is.`,
  );
}
