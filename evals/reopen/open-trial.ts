import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { ToolFile } from "../../harness/contract/resolved-config.ts";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { modeSchema, sandboxKindSchema } from "../trial/trial-record.ts";
import type { TornTail } from "../../traces/read/torn-tail.ts";
import { hasTrace } from "../../traces/format/trace-files.ts";
import { loadRecording } from "../../traces/replay/verify/load-recording.ts";

const toolFileSchema = z.object({
  name: z.string(),
  source: z.object({ path: z.string(), hash: z.string(), files: z.record(z.string(), z.string()) }),
});

/** What `run.start` says of a trial. */
const startSchema = z.looseObject({
  config: z.looseObject({
    tools: z.array(z.looseObject({ name: z.string() })),
    toolFiles: z.array(toolFileSchema).optional(),
    loop: z.literal(2).optional(),
  }),
  meta: z.looseObject({
    trial: z.looseObject({ task: z.string(), configuration: z.string(), repeat: z.int(), attempt: z.int() }),
    agent: z.string(),
    taskDigest: z.string(),
    imageDigest: z.string(),
    sandbox: sandboxKindSchema,
    workdir: z.string(),
    deadlineMs: z.number(),
    mode: modeSchema.optional(),
  }),
});

/** A recorded trial, as far as its sandbox is concerned. */
export interface OpenedTrial {
  /** Of the attempt. */
  readonly folder: string;
  /** Folder of its job, where it lies in one. */
  readonly job: string | undefined;
  readonly task: string;
  readonly configuration: string;
  readonly repeat: number;
  readonly attempt: number;
  readonly agent: string;
  readonly taskDigest: string;
  readonly imageDigest: string;
  readonly sandbox: z.infer<typeof sandboxKindSchema>;
  /** Of the sandbox that is gone. */
  readonly workdir: string;
  readonly deadlineMs: number;
  /** Runs of older versions do not say it. */
  readonly mode?: z.infer<typeof modeSchema> | undefined;
  readonly tools: readonly string[];
  /** Of these, the user's own. */
  readonly toolFiles: readonly ToolFile[];
  readonly loop: 1 | 2;
  readonly events: readonly RunEvent[];
  /** What stood behind its last whole event and was left out; null: nothing. */
  readonly torn: TornTail | null;
  /** Commands and writes that a middleware asked for by itself: only their digests are recorded. */
  readonly middlewareCalls: number;
}

/** Reads a trial by the folder of one of its attempts, or by its own, which stands for the attempt that counts. */
export async function openTrial(
  name: string,
  o: { /** Also one of another agent. */ readonly observed?: boolean } = {},
): Promise<OpenedTrial> {
  const folder = hasTrace(name) ? resolve(name) : await attemptOf(resolve(name));
  const { events, torn } = await loadRecording(folder, o);
  const start = startSchema.safeParse(events[0]?.d);
  if (!start.success)
    throw new CannotError(
      `The run in ${folder} is no trial of a bench: it has no task whose sandbox could be rebuilt. Give the folder of a trial.`,
    );
  const { config, meta } = start.data;
  const { trial, agent, taskDigest, imageDigest, sandbox, workdir, deadlineMs, mode } = meta;
  const acts = events.filter(({ t, d }) => t === "port.read" && (d["port"] === "exec" || d["op"] === "writeFile"));
  return {
    folder,
    job: jobOf(folder),
    task: trial.task,
    configuration: trial.configuration,
    repeat: trial.repeat,
    attempt: trial.attempt,
    agent,
    taskDigest,
    imageDigest,
    sandbox,
    workdir,
    deadlineMs,
    mode,
    tools: config.tools.map((tool) => tool.name),
    toolFiles: agent === "configured" ? (config.toolFiles ?? []) : [],
    loop: config.loop ?? 1,
    events,
    torn,
    middlewareCalls: acts.length,
  };
}

async function attemptOf(folder: string): Promise<string> {
  const path = join(folder, "result.json");
  if (existsSync(join(folder, "lock.json")))
    throw new CannotError(`${folder} is a whole job. Give the folder of one of its trials: ${folder}/trials/TASK/CONFIGURATION/REPEAT.`);
  const text = await readFile(path, "utf8").catch(() => {
    throw new CannotError(`${folder} has neither trace.jsonl nor result.json. Give the folder of a trial, or of one of its attempts.`);
  });
  const job = jobOf(folder);
  try {
    const { trace } = z.looseObject({ trace: z.string() }).parse(JSON.parse(text));
    return resolve(job ?? folder, trace);
  } catch {
    throw new DamagedError(`${path} is not the record of a trial; give the folder of one of its attempts.`);
  }
}

function jobOf(folder: string): string | undefined {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, "lock.json"))) return at;
  return undefined;
}
