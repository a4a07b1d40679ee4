import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { EventSink, Ports } from "../../../harness/contract/ports.ts";
import { runAgent } from "../../../harness/agent/run-agent.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { createRedactor } from "../../../harness/secrets/redact-text.ts";
import { createScriptedModel } from "../../../harness/models/scripted/scripted-model.ts";
import { createPolicy } from "../../../harness/policy/policy.ts";
import { createInPlaceSandbox } from "../../../harness/sandbox/in-place-sandbox.ts";
import { createTools } from "../../../harness/tools/registry.ts";
import { pickTools } from "../../../harness/tools/tool-schemas.ts";
import { micros, nobody, randomPort, systemClock } from "../../../harness/system-ports.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import type { Measured } from "../measure.ts";
import { median } from "../median.ts";

const steps = 25;
const rounds = 5;
/** What the model would take for each answer, milliseconds. It is added, not waited for. */
const answerMs = 1000;

/** What recording adds to a run whose model answers in a second and whose tools take 20 ms: trace, redaction, waiting for the disk, snapshots. */
export async function measureRecording(folder: string, say: (line: string) => void): Promise<Measured[]> {
  return [await costOf(join(folder, "few"), 200, say), await costOf(join(folder, "many"), 10_000, say)];
}

async function costOf(folder: string, files: number, say: (line: string) => void): Promise<Measured> {
  const workdir = join(folder, "workdir");
  for (let i = 0; i < files; i++) {
    if (i % 100 === 0) await mkdir(join(workdir, `d${i / 100}`), { recursive: true });
    await writeFile(join(workdir, `d${Math.floor(i / 100)}`, `f${i}`), `file ${i}\n`.repeat(20));
  }
  const [on, off]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    say(`recording: ${files} files, ${round} of ${rounds}`);
    const bare = await timed(workdir, undefined);
    const whole = await timed(workdir, join(folder, `trace-${round}`));
    if (round === 0) continue; // fills the caches
    off.push(bare);
    on.push(whole);
  }
  const run = median(off) + steps * answerMs;
  const added = median(on) - median(off);
  return {
    what: `what recording adds to a run, in a workdir of ${files} files`,
    value: (100 * added) / run,
    unit: "%",
    limit: { at: "most", value: 5 },
    note: `${added.toFixed(0)} ms on ${(run / 1e3).toFixed(1)} s: ${steps} answers of 1 s and as many calls of 20 ms that write; medians of ${rounds}`,
  };
}

/** Milliseconds of a run in `workdir`, whose every call changes a file. Recorded in `trace`, or not at all. */
async function timed(workdir: string, trace: string | undefined): Promise<number> {
  const sandbox = await createInPlaceSandbox(workdir, { kind: "local" });
  const recorder = trace === undefined ? undefined : recordTrace(trace, { clock: systemClock, micros });
  const sink: EventSink = recorder ?? { emit: () => undefined, flush: async () => undefined };
  const redact = trace === undefined ? undefined : createRedactor({ secrets: [] });
  const tools = createTools({
    tools: pickTools(["bash"]),
    sandbox,
    policy: createPolicy({ mode: "bypass", confined: true }),
    user: nobody,
    clock: systemClock,
    snapshots: trace !== undefined,
    ...(redact ? { redact } : {}),
  });
  const model = createScriptedModel((_request, { ordinal }) =>
    ordinal === steps ? { text: "Done." } : { calls: [{ name: "bash", args: { command: `sleep 0.02; echo ${ordinal} >> d0/f0` } }] },
  );
  const config: ResolvedConfig = {
    name: "recording",
    hash: "0".repeat(64),
    model: { name: "scripted/script", protocol: "native", maxOutputTokens: 1000 },
    system: [],
    tools: tools.schemas,
    middleware: [],
    limits: { turns: steps + 10 },
  };
  const ports: Ports = {
    model,
    tools,
    sandbox,
    clock: systemClock,
    random: randomPort(1),
    user: nobody,
    sink,
    ...(redact ? { redact } : {}),
  };
  try {
    const began = performance.now();
    const { outcome } = await runAgent(config, ports, { task: "Write." }, { middleware: [], seed: 1 });
    recorder?.seal(null);
    const took = performance.now() - began;
    if (outcome.type !== "done") throw new Error(`The measured run ended as ${JSON.stringify(outcome)} instead of done.`);
    return took;
  } finally {
    await tools.close();
    await sandbox.close();
  }
}
