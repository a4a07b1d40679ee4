import { join } from "node:path";
import type { Tools } from "../../harness/contract/ports.ts";
import type { RunResult } from "../../harness/contract/run-result.ts";
import { messageOf, ConfigError } from "../../harness/errors.ts";
import { deadServer } from "../../harness/models/providers/clients/server-address.ts";
import { retryPolicy } from "../../harness/models/retry/retry.ts";
import { createRefusalMemory } from "../../harness/models/retry/refusal-memory.ts";
import { modelNotesOf } from "../shared/model-notes-of.ts";
import { createModel } from "../../harness/models/create-model.ts";
import { prepareForgeFolder, takeCheckpoint, type Checkpoint } from "../../harness/sandbox/workspace/checkpoint.ts";
import { printable } from "../../harness/text/printable.ts";
import { assembleRun, type AssembledRun } from "../../assembly/assemble-run.ts";
import { configRegistry, registryFor } from "../../assembly/registry.ts";
import { configOfFlags, type RunFlags } from "./options.ts";
import { envFileSecrets } from "../../harness/secrets/env-file-secrets.ts";
import { everydayConfig } from "../../harness/config/everyday/everyday-config.ts";
import { interruptible } from "../shared/interruptible.ts";
import { modelEnvironment } from "../../harness/secrets/model-environment.ts";
import { oneOf } from "../shared/one-of.ts";
import { openWorkspace } from "../../assembly/sandbox-providers.ts";
import { jsonFront, textFront } from "./run-front.ts";
import { sealRun } from "../../traces/store/seal-run.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { terminalUser } from "./terminal-user.ts";
import { forgeVersion } from "../../harness/package/package-root.ts";
import { text as readText } from "node:stream/consumers";

/** Carries out `forge run`; answers the exit code. */
export async function runTask(words: string, flags: RunFlags): Promise<number> {
  const cwd = process.cwd();
  const sandbox = flags.sandbox === undefined ? undefined : oneOf("--sandbox", flags.sandbox, ["bubblewrap", "local"] as const);
  const task = await taskText(words);
  const { config, sources } = await everydayConfig({
    cwd,
    config: flags.config,
    flags: configOfFlags(flags),
    registry: registryFor({ user: terminalUser, trust: flags.trust === true }),
    user: terminalUser,
    env: process.env,
    onModel: ({ name, baseUrl }) =>
      void process.stderr.write(`model: ${printable(name)}${baseUrl === undefined ? "" : ` at ${baseUrl}`}\n`),
  });
  const secrets = await envFileSecrets(cwd, process.env);
  const { redact } = secrets;
  if (!secrets.complete)
    process.stderr.write(
      "This folder is too large to look for .env files in all of it: their values are taken out once a call names them.\n",
    );
  const env = await modelEnvironment(sources, {
    presets: configRegistry.presets,
    env: process.env,
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  const say = (sentence: string): void => void process.stderr.write(`${printable(sentence)}\n`);
  for (const note of modelNotesOf(config)) say(note);
  const model = await createModel({ ...config.model, places: config.places }, env, {
    clock: systemClock,
    refusals: createRefusalMemory(say),
  });
  if (config.limits.costUsd !== undefined && model.identity.priceTable === null)
    throw new ConfigError(
      `limits.costUsd needs a price, and none is known for ${config.model.name}; give it with --price in,out (USD per million tokens), or limit turns or tokens instead.`,
    );
  const over = new AbortController();
  void deadServer(config.model, env, over.signal).then((dead) => dead && say(`${dead} ${retryPlan}`));
  const folder = join(await prepareForgeFolder(cwd), "runs", runId());
  const workspace = await openWorkspace(cwd, sandbox);
  const front = flags.json || flags.jsonStream ? jsonFront({ stream: flags.jsonStream === true }) : textFront();
  if (flags.yes && workspace.kind === "local")
    process.stderr.write("Commands run unconfined, with your rights: install bubblewrap to confine them to this folder.\n");
  let checkpoint: Checkpoint | undefined;
  const checkFirst = async (): Promise<void> => {
    checkpoint = await takeCheckpoint(cwd, `before ${folder}`).catch((error: unknown) => {
      process.stderr.write(`${printable(messageOf(error))}\n`);
      return undefined;
    });
  };
  let assembled: AssembledRun | undefined;
  try {
    assembled = await assembleRun({
      config,
      model,
      sandbox: workspace,
      user: terminalUser,
      policy: { mode: flags.yes ? "auto" : "ask", root: cwd },
      folder,
      redact,
      aroundTools: (tools) => beforeFirstChange(secrets.guarded(tools), checkFirst),
      onEvent: front.event,
      onText: front.text,
    });
    const { trace, run } = assembled;
    const meta = { forgeVersion: forgeVersion(), node: process.version, sandbox: workspace.kind, workdir: cwd };
    const result = await interruptible(({ stop }) => run({ task }, { signal: stop, meta }));
    if (checkpoint) trace.evidence("note", { text: "checkpoint before the first change", commit: checkpoint.commit });
    await sealRun(trace, workspace, cwd);
    front.end({ ...result, run: folder, model: config.model.name, sandbox: workspace.kind, restore: checkpoint?.restore ?? null });
    return exitCodeOf(result);
  } finally {
    over.abort();
    assembled?.trace.close();
    await assembled?.close();
    await workspace.close();
  }
}

const retryPlan = `It is tried up to ${retryPolicy.attempts} times, with longer waits between; Ctrl-C ends the run.`;

/** Runs `prepare` once, before the first call of a tool that can change something. */
function beforeFirstChange(tools: Tools, prepare: () => Promise<void>): Tools {
  let prepared: Promise<void> | undefined;
  return {
    schemas: tools.schemas,
    readOnly: (name) => tools.readOnly(name),
    async call(call, context) {
      if (!tools.readOnly(call.name)) await (prepared ??= prepare());
      return tools.call(call, context);
    },
  };
}

let runs = 0;
/** Sorts by time; the process id keeps two runs of one second apart, and a number those of one process. */
export const runId = (): string =>
  `${new Date().toISOString().replaceAll(/[-:]/g, "").slice(0, 15)}-${process.pid}${runs++ === 0 ? "" : `-${runs}`}`;

function exitCodeOf({ outcome }: RunResult): number {
  if (outcome.type === "done") return 0;
  if (outcome.type === "cancelled") return 130;
  if (outcome.type === "error") return outcome.kind === "config" ? 2 : outcome.kind === "infra" ? 3 : 1;
  return 1;
}

/** What is to be done: the words of the command line, and what is piped in after them. @throws ConfigError where there is neither. */
async function taskText(words: string): Promise<string> {
  const piped = process.stdin.isTTY || process.stdin.readableEnded ? "" : await pipedText();
  const task = [words.trim(), piped.trim()].filter((part) => part !== "").join("\n\n");
  if (task === "") throw new ConfigError('No task was given: write it, as in forge run "make the failing test pass".');
  return task;
}

/** What is piped in; an inherited standard input that nobody writes to is not waited for. */
async function pipedText(): Promise<string> {
  const { fstatSync } = await import("node:fs");
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isFile() ? readText(process.stdin) : "";
}
