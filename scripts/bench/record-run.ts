import type { AnyMiddleware } from "../../harness/contract/middleware.ts";
import type { Ports, Tools } from "../../harness/contract/ports.ts";
import { runAgent } from "../../harness/agent/run-agent.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { createRedactor } from "../../harness/secrets/redact-text.ts";
import { createFixtureSandbox } from "../../harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools } from "../../harness/fixtures/fixture-tools.ts";
import { createScriptedModel } from "../../harness/models/scripted/scripted-model.ts";
import { micros, nobody, randomPort, systemClock } from "../../harness/system-ports.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";

export interface RecordedRun {
  /** CPU of this process in each step, from one model call to the next, milliseconds. */
  readonly cpuMs: readonly number[];
  /** Of the whole run, sealing included. */
  readonly totalCpuMs: number;
  readonly turns: number;
  /** UTF-8 bytes of what was said, each thing counted once: instruction, prompt, schemas, calls' arguments, answers of tools. */
  readonly contentBytes: number;
}

/**
 * Runs the real loop with the real recorder and everything around it as cheap as can be: a model that answers at once, a tool that does nothing,
 * no waiting for the disk. Redaction is on, as in every run of the command line.
 * @param o.output what the tool answers at each step, from 0
 */
export async function recordRun(
  folder: string,
  o: { steps: number; output: (step: number) => string; middleware?: readonly AnyMiddleware[] },
): Promise<RecordedRun> {
  const stamps: number[] = [];
  const cpuNow = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let contentBytes = 0;
  const said = (text: string): string => {
    contentBytes += Buffer.byteLength(text);
    return text;
  };
  const model = createScriptedModel((_request, { ordinal }) => {
    stamps.push(cpuNow());
    if (ordinal === o.steps) return { text: said("Done.") };
    const args = { command: `step ${ordinal}` };
    said(JSON.stringify(args));
    return { calls: [{ name: "noop", args }] };
  });
  const tools: Tools = createFixtureTools({ noop: ({ args }) => said(o.output(Number(String(args["command"]).slice(5)))) });
  const middleware = o.middleware ?? [];
  const config: ResolvedConfig = {
    name: "speed",
    hash: "0".repeat(64),
    model: { name: "scripted/script", protocol: "native", maxOutputTokens: 1000 },
    system: [{ name: "identity", text: said("You are a coding agent.") }],
    tools: tools.schemas,
    middleware: middleware.map(({ name, version }) => ({ name, version, options: {}, changed: {} })),
    limits: { turns: o.steps + 10 },
  };
  said(JSON.stringify(tools.schemas));
  const trace = recordTrace(folder, { clock: systemClock, micros, sync: false });
  const redact = createRedactor({ secrets: [] });
  const sandbox = createFixtureSandbox();
  const ports: Ports = { model, tools, sandbox, clock: systemClock, random: randomPort(1), user: nobody, sink: trace, redact };
  const begin = cpuNow();
  const { outcome, spent } = await runAgent(config, ports, { task: said("Make one step after another.") }, { middleware, seed: 1 });
  trace.seal(null);
  const totalCpuMs = cpuNow() - begin;
  if (outcome.type !== "done") throw new Error(`The measured run ended as ${JSON.stringify(outcome)} instead of done.`);
  const cpuMs = stamps.slice(1).map((stamp, i) => stamp - (stamps[i] ?? stamp));
  return { cpuMs, totalCpuMs, turns: spent.turns, contentBytes };
}
