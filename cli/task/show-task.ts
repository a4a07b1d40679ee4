import { plural } from "../../harness/text/figures.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { NetworkPolicy } from "../../harness/sandbox/sandbox.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { folded, hanging } from "../../reports/text/wrapped.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { listFiles } from "../../tasks/formats/digest-folder.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { ownSuites, ownSuitesFolder } from "../../tasks/formats/own-suites.ts";
import { agrees } from "../../evals/gate/agreement.ts";
import { hasSolution } from "../../tasks/has-solution.ts";
import type { Task } from "../../tasks/task.ts";

/** Carries out `forge task show`: a folder, or a task of a suite of ours such as `builtin/csv-totals`. */
export async function showTask(named: string, o: { json?: boolean }): Promise<void> {
  const [suite = ""] = named.split("/");
  const own = ownSuites.some((name) => name === suite) && !existsSync(named);
  const task = await loadTask(own ? join(ownSuitesFolder(), named) : named);
  const { asks } = await agrees(task);
  const files = (await listFiles(task.folder)).map(({ path }) => path);
  if (o.json) process.stdout.write(`${jsonLine({ ...described(task), instruction: task.instruction, checks: asks, files })}\n`);
  else process.stdout.write(`${asText(task, { asks, files })}\n`);
}

function described(task: Task) {
  const { environment: env, metadata, forge } = task;
  return {
    task: task.name,
    folder: task.folder,
    digest: task.digest,
    format: task.format,
    family: metadata.family ?? null,
    level: metadata.difficulty ?? null,
    split: metadata.split ?? null,
    tags: metadata.tags,
    mode: forge ? "hardened" : "official",
    verify: forge?.verify ?? null,
    local: forge?.local === true,
    steps: (task.steps ?? []).map(({ name }) => name),
    limits: {
      agentMs: task.agent.timeoutMs,
      verifierMs: task.verifier.timeoutMs,
      cpus: env.cpus ?? null,
      memoryMb: env.memoryMb ?? null,
      storageMb: env.storageMb ?? null,
      network: env.networkPolicy.mode,
    },
    wrong: task.wrong.map(({ name }) => name),
    solution: hasSolution(task),
    planSteps: task.plan?.steps.length ?? null,
    warnings: task.warnings,
  };
}

/** The environment's network, and a phase's where it has another. */
function networks({ environment, agent, verifier }: Task): string {
  const told = (policy: NetworkPolicy): string =>
    policy.mode === "allowlist" ? `limited to ${policy.hosts.length > 0 ? policy.hosts.join(" ") : "no host"}` : policy.mode;
  const phases = [
    ...(agent.network ? [`agent ${told(agent.network)}`] : []),
    ...(verifier.network ? [`verifier ${told(verifier.network)}`] : []),
  ];
  return [told(environment.networkPolicy), ...phases].join(", ");
}

function asText(task: Task, o: { asks: readonly { check: string; asked: string }[]; files: readonly string[] }): string {
  const { limits, ...one } = described(task);
  const kind = [one.family, one.level, one.split].filter((word) => word !== null).join(" · ");
  const memory = limits.memoryMb === null ? "no memory limit" : `${limits.memoryMb} MB`;
  const cpus = limits.cpus === null ? "all processors" : `${limits.cpus} cpus`;
  const lines = [
    `${one.task}  ${kind}`,
    `${one.format} format, ${one.mode} mode${one.verify === null ? "" : `, verified in a ${one.verify}`}, ${one.local ? "runs without Docker" : "Docker only"}`,
    `limits: agent ${limits.agentMs / 1000} s, verifier ${limits.verifierMs / 1000} s, ${cpus}, ${memory}, network ${networks(task)}`,
    `digest ${one.digest}`,
    `solution: ${one.solution ? "yes" : "none"}; plan: ${one.planSteps === null ? "none" : plural(one.planSteps, "step")}; wrong solutions: ${one.wrong.join(", ") || "none"}`,
    ...(one.steps.length > 0 ? [`steps: ${one.steps.join(", ")}`] : []),
    ...one.warnings.map((warning) => `warning: ${warning}`),
  ].map(oneLine);
  const checks = o.asks.map(({ check, asked }) => hanging(`  ${oneLine(check)} ← “${oneLine(asked)}”`));
  return [
    ...lines.map((line) => hanging(line)),
    "",
    ...printable(task.instruction.trim())
      .split("\n")
      .flatMap((line) => folded(line, pageWidth())),
    "",
    ...(checks.length > 0 ? ["checked, and the words that require it:", ...checks, ""] : []),
    "files:",
    ...o.files.map((path) => `  ${oneLine(path)}`),
  ].join("\n");
}
