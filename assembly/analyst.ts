import type { AnalystConversation } from "../analyzer/analyst/analyst.ts";
import type { Model, Ports } from "../harness/contract/ports.ts";
import type { RunResult } from "../harness/contract/run-result.ts";
import { InfraError } from "../harness/errors.ts";
import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { redactorFor } from "../harness/secrets/redactor-for-environment.ts";
import { nobody } from "../harness/system-ports.ts";
import { forkPorts, isReply } from "../traces/replay/fork/fork-ports.ts";
import { turnsOf } from "../traces/read/turns.ts";
import type { LoadedTrace } from "../traces/read/load-trace.ts";
import { assembleRun } from "./assemble-run.ts";

/**
 * One conversation of the analyst, recorded as any run is. There is no sandbox: its tools look at runs in memory, and the mode `plan` refuses what could
 * change something. Sealed where the model came to an end; one that a failing service or an interruption ended stays open, and is gone on with.
 */
export async function converse(model: Model, o: AnalystConversation): Promise<RunResult> {
  const { trace, run, close } = await assembleRun({
    config: o.config,
    model,
    ownTools: o.tools,
    sandbox: noSandbox,
    user: nobody,
    policy: { mode: "plan" },
    folder: o.folder,
    seed: o.seed,
    signal: o.signal,
    redact: redactorFor(process.env),
  });
  const after = o.after;
  let fork: ReturnType<typeof forkPorts> | undefined;
  const ports = (real: Ports): Ports => (after ? (fork = forkPorts(after, lastPoint(after), real)).ports : real);
  try {
    const going = run({ task: o.task }, { signal: o.signal, meta: o.meta, ports });
    const result = await (fork ? Promise.race([going, fork.lost]) : going);
    const open = result.outcome.type === "cancelled" || (result.outcome.type === "error" && result.outcome.kind !== "agent");
    if (!open) trace.seal(null);
    return result;
  } finally {
    fork?.close();
    trace.close();
    await close();
  }
}

/** As far as a recording goes: its last turn, with the reply where it arrived. */
function lastPoint({ events }: LoadedTrace): { step: number; answered: boolean } {
  const last = turnsOf(events.map((event, seq) => ({ ...event, seq }))).at(-1);
  return { step: last?.turn ?? 0, answered: last?.events.some(isReply) ?? false };
}

const none = (): Promise<never> => Promise.reject(new InfraError("The analyst has no sandbox."));
const noSandbox: Sandbox = {
  kind: "local",
  workdir: "/",
  exec: none,
  readFile: none,
  writeFile: none,
  upload: none,
  download: none,
  endProcesses: async () => undefined,
  usage: async () => ({}),
  close: async () => undefined,
};
