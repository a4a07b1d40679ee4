import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { bench } from "../bench/bench.ts";
import type { BenchEvent } from "../bench/bench-events.ts";
import type { BenchRequest } from "../bench/bench-request.ts";
import type { BenchPorts, TrialRunRequest } from "../bench-ports.ts";
import type { JobResult } from "../job/results/job-result.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { writeJson } from "../../harness/files/write-json.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import { assignFaults } from "../../harness/models/simulated/faults/assign-faults.ts";
import type { SimulatedOptions } from "../../harness/models/simulated/simulated-model.ts";
import { draw } from "../../harness/models/simulated/draw.ts";
import type { Fault } from "../../harness/models/simulated/faults/fault-kinds.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import type { Suite } from "../../tasks/task.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { forgeVersion } from "../../harness/package/package-root.ts";
import { keyLine, type Happened, type KeyLine } from "./corpus-key.ts";

export interface CorpusRequest {
  readonly suite: Suite;
  /** As the user named it. */
  readonly suiteName: string;
  readonly config: ResolvedConfig;
  readonly runs: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** A folder that does not exist or is empty. */
  readonly out: string;
  readonly sandbox?: SandboxKind;
  readonly jobs?: number;
  readonly stop?: AbortSignal;
  readonly onEvent?: (event: BenchEvent) => void;
  /** Ports whose simulated model is, in each trial, what `simulate` says. */
  readonly createPorts: (simulate: (trial: TrialRunRequest) => Partial<SimulatedOptions>) => Promise<BenchPorts>;
}

interface PlannedRun {
  readonly fault: Fault;
  readonly seed: number;
}

/**
 * Benches a suite so that each trial commits one known fault, and writes the job with its key: `job/`, which does not say what is wrong with any run, and
 * `key.jsonl`, which does. The folder appears when all of it is written, or not at all.
 * Throws `ConfigError` for a folder that is in use and for tasks that no fault fits; the abort reason when it was stopped.
 */
export async function writeCorpus(o: CorpusRequest): Promise<readonly KeyLine[]> {
  const planned = planRuns(o);
  return writeNewFolder(o.out, async (draft) => {
    const { records, happened } = await runAll(o, planned, join(draft, "job"), join(resolve(o.out), "job"));
    const lines: KeyLine[] = [];
    // one after the other: thousands of traces at once fill the memory
    for (const record of records) {
      const run = runOf(record);
      const { fault, seed } = planned.get(placeOf(record)) as PlannedRun; // only planned runs were started
      const { lines: events } = await loadTrace(join(draft, "job", record.trace));
      const { task, passed } = record;
      const known = { run, trace: `job/${record.trace}`, fault, task, seed, passed };
      lines.push(keyLine(known, events, happened.get(`${run}/${record.attempt}`)));
    }
    await writeFile(join(draft, "key.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { seed, runs, faults, suiteName } = o;
    const about = {
      v: 1,
      forgeVersion: forgeVersion(),
      seed,
      runs,
      faults,
      suite: suiteName,
      suiteDigest: o.suite.digest,
      harnessHash: o.config.hash,
    };
    await writeJson(join(draft, "corpus.json"), about);
    return lines;
  });
}

const runOf = ({ task, configuration, repeat }: TrialRecord): string => `${task}/${configuration}/${repeat}`;
const placeOf = ({ task, repeat }: { readonly task: string; readonly repeat: number }): string => `${task}/${repeat}`;

/** Which run commits what: the tasks in turn, and round again. */
function planRuns({ suite, runs, seed, faults }: CorpusRequest): Map<string, PlannedRun> {
  const tasks = suite.tasks.flatMap(({ name, plan }) => (plan ? [{ name, plan }] : []));
  if (tasks.length === 0)
    throw new ConfigError(
      `suite "${suite.name}": no task has solution/plan.yaml, which the simulated model plays. Give a suite whose tasks have one.`,
    );
  const turns = Array.from({ length: runs }, (_, i) => ({ task: tasks[i % tasks.length], repeat: Math.floor(i / tasks.length) + 1 }));
  const assigned = assignFaults(
    turns.flatMap(({ task }) => (task ? [task.plan] : [])),
    faults,
    seed,
  );
  return new Map(
    turns.flatMap(({ task, repeat }, i): [string, PlannedRun][] => {
      const fault = assigned[i];
      if (!task) return [];
      if (!fault)
        throw new ConfigError(
          `--faults ${faults.join(",")}: none of them fits the plan of task "${task.name}". Name others, or another suite.`,
        );
      return [[placeOf({ task: task.name, repeat }), { fault, seed: Math.floor(draw("corpus", seed, task.name, repeat) * 2 ** 31) }]];
    }),
  );
}

const trialMeta = z.looseObject({
  trial: z.looseObject({ task: z.string(), configuration: z.string(), repeat: z.int(), attempt: z.int() }),
});

async function runAll(
  o: CorpusRequest,
  planned: ReadonlyMap<string, PlannedRun>,
  folder: string,
  shownFolder: string,
): Promise<{ records: readonly TrialRecord[]; happened: ReadonlyMap<string, Happened> }> {
  const happened = new Map<string, Happened>();
  const records: TrialRecord[] = [];
  const simulate = ({ meta }: TrialRunRequest) => {
    const { task, configuration, repeat, attempt } = trialMeta.parse(meta).trial;
    const plan = planned.get(placeOf({ task, repeat }));
    if (!plan) throw new Error(`run ${task}/${repeat} was not planned`);
    const id = `${task}/${configuration}/${repeat}/${attempt}`;
    const onFault = (at: Happened): void => void (happened.has(id) || happened.set(id, at));
    return { seed: plan.seed, faults: [plan.fault], onFault };
  };
  const ports = await o.createPorts(simulate);
  const fast = o.sandbox ?? ((await ports.provider("bubblewrap").available()) === true ? "bubblewrap" : undefined);
  const tasks = o.suite.tasks.filter(({ name }) => planned.has(placeOf({ task: name, repeat: 1 })));
  const request: BenchRequest = {
    suite: { ...o.suite, tasks },
    configurations: [o.config],
    agent: "configured",
    repeats: Math.max(...[...planned.keys()].map((place) => Number(place.split("/").at(-1)))),
    wants: (trial) => planned.has(placeOf(trial)),
    ...(fast === undefined ? {} : { sandbox: fast }),
    ...(o.jobs === undefined ? {} : { jobs: o.jobs }),
    out: folder,
    asked: { suite: o.suiteName, config: [o.config.name], harness: [o.config.hash], model: null, baseUrl: null },
  };
  const result = await bench(request, ports, {
    ...(o.stop ? { stop: o.stop } : {}),
    onEvent(event) {
      if (event.type === "trial.end") records.push(event.record);
      o.onEvent?.(event);
    },
  });
  o.stop?.throwIfAborted();
  await writeJson(join(folder, "result.json"), { ...result, folder: shownFolder } satisfies JobResult);
  const ranks = new Map([...planned.keys()].map((place, rank) => [place, rank]));
  const rankOf = (record: TrialRecord): number => ranks.get(placeOf(record)) ?? -1;
  return { records: records.toSorted((a, b) => rankOf(a) - rankOf(b)), happened };
}
