import { checkOf } from "../../../harness/tools/effects/checks/check-of.ts";
import type { AnalyzedRun, RunStep } from "../../runs/analyzed-run.ts";
import type { Act, Role } from "./act.ts";
import { objectOf } from "../../runs/steps-of.ts";
import { bare, exitCodeBefore, timedOut, verdictIn } from "./outputs.ts";
import { patchedPaths, shellWrites } from "./shell-writes.ts";

const known = new WeakMap<AnalyzedRun, readonly Act[]>();

/** The calls of a run by what they are for. The one place that knows how agents name their tools and what they print around an output. */
export function actsOf(run: AnalyzedRun): readonly Act[] {
  const before = known.get(run);
  if (before) return before;
  const acts = run.steps.map((step, index) => actOf(step, index, run.imported === undefined ? undefined : { exitCode: codeOf(run, step) }));
  known.set(run, acts);
  return acts;
}

const roles: Readonly<Record<Exclude<Role, "other">, RegExp>> = {
  shell:
    /^(?:bash|shell|sh|exec_command|execute_bash|run_shell_command|terminal|local_shell|container\.exec|run_command|run_terminal_cmd|powershell)$/i,
  write: /^(?:write|edit|multi_?edit|apply_patch|str_replace\w*|create_file|write_file|edit_file|notebook_?edit|replace|insert|patch)$/i,
  look: /^(?:read|view|open|cat|grep|glob|ls|list|search|find|read_file|list_files|search_files|webfetch|websearch|web_fetch|web_search|toolsearch)$/i,
  plan: /^(?:todo\w*|task\w*|update_plan|plan|agent|exitplanmode)$/i,
  wait: /^(?:wait|write_stdin|bashoutput|kill\w*)$/i,
};
function roleOf(tool: string): Role {
  for (const [role, names] of Object.entries(roles)) if (names.test(tool)) return role as Role; // the keys of this very object
  return "other";
}

/** Of an imported run, as its source recorded it, else as its agent's tool wrote it before the output. */
function codeOf({ events }: AnalyzedRun, { resultSeq, observation }: RunStep): number | undefined {
  const recorded = objectOf(events[resultSeq ?? -1]?.d["source"])["exitCode"];
  return typeof recorded === "number" ? recorded : exitCodeBefore(observation);
}

function actOf(step: RunStep, index: number, foreign: { readonly exitCode: number | undefined } | undefined): Act {
  const imported = foreign !== undefined;
  const role = roleIn(step);
  const command = role === "shell" ? step.command : "";
  const output = bare(step.observation);
  const exitCode = foreign ? foreign.exitCode : step.status === "ok" ? 0 : step.exitCode;
  const wrote = writtenBy(step, role);
  const failed = didFail(step, exitCode, imported);
  return {
    step,
    index,
    role,
    command,
    wrote: step.edited !== undefined && step.edited.length > 0 ? step.edited : failed === true && role === "write" ? [] : wrote.paths,
    whole: wrote.whole,
    output,
    exitCode,
    failed,
    check: imported ? checkIn(command, exitCode, output) : step.check,
    looksOnly:
      role === "look" || role === "plan" || role === "wait" || (role === "shell" && wrote.paths.length === 0 && onlyLooks(command)),
  };
}

/** Some agents send a patch, or a script of other tools, through what looks like a shell. */
const roleIn = ({ tool, args, command }: RunStep): Role => {
  const role = roleOf(tool);
  if (role !== "other" || Object.keys(args).length === 0) return role;
  return typeof args["command"] === "string" || typeof args["cmd"] === "string"
    ? tool === "exec"
      ? "look"
      : "shell"
    : command === ""
      ? "other"
      : role;
};

function writtenBy({ tool, args, command, edited }: RunStep, role: Role): { readonly paths: readonly string[]; readonly whole: boolean } {
  if (role === "shell") {
    const found = shellWrites(command);
    return edited === undefined ? found : { paths: edited, whole: found.whole };
  }
  if (role !== "write") return { paths: [], whole: false };
  const path = [args["file_path"], args["path"], args["filename"], args["notebook_path"]].find((value) => typeof value === "string");
  const patch = [args["input"], args["patch"], args["command"], args["diff"]].find((value) => typeof value === "string") ?? "";
  const viewing = args["command"] === "view";
  return {
    paths: viewing ? [] : [...(typeof path === "string" ? [path] : []), ...patchedPaths(patch)],
    whole: /^(?:write|create_file|write_file)$/i.test(tool) || args["command"] === "create" || /^\*\*\* Add File: /m.test(patch),
  };
}

/** Of a run that Forge recorded the status is known, whatever an output says of itself. */
function didFail({ status, observation }: RunStep, exitCode: number | undefined, imported: boolean): boolean | undefined {
  if (status === undefined) return undefined;
  if (!imported || status !== "ok") return status !== "ok";
  if (exitCode !== undefined) return exitCode !== 0;
  return refusal.test(observation) ? true : undefined;
}
const refusal = /^(?:Error|error:|<tool_use_error>|apply_patch verification failed|Failed to)|\[error\] tool reported failure/;

function checkIn(command: string, exitCode: number | undefined, output: string): Act["check"] {
  if (command === "" || command.length > 20_000) return undefined;
  const code = exitCode ?? (timedOut(output) ? null : 0); // what an output says of itself counts only where nothing was recorded
  const found = checkOf({ command, exitCode: code, output });
  if (!found) return undefined;
  const passed = { passed: true, failed: false, unknown: undefined }[found.result];
  return { command: found.command, passed: exitCode === undefined && passed !== false ? verdictIn(output) : passed };
}

const looking =
  /^(?:cat|ls|ll|head|tail|pwd|cd|echo|wc|grep|rg|egrep|find|file|stat|tree|which|type|sed -n|awk|nl|less|more|env|printenv|date|whoami|id|du|df|diff|printf|true|git (?:status|diff|log|show|branch|add|commit|config|checkout -b|rev-parse|ls-files|stash list|blame|grep))\b/;
/** Every part of the command is one of the words that only show something. */
function onlyLooks(command: string): boolean {
  const parts = command
    .slice(0, 4_000)
    .split(/\n|&&|\|\||;|\|/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("#"));
  return parts.length > 0 && parts.every((part) => looking.test(part));
}
