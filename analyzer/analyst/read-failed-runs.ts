import { z } from "zod";
import { sha256 } from "../../harness/hash/sha256.ts";
import { CannotError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { pool } from "../../harness/pool.ts";
import type { LoadedTrace } from "../../traces/read/load-trace.ts";
import { faultSchema } from "../analysis/run-line.ts";
import type { RunFaults } from "../clusters/faults-of-runs.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";
import { isLeftOut, type ReadableRun, type RunReader } from "../runs/read-runs.ts";
import { objectOf } from "../runs/steps-of.ts";
import type { Analyst } from "./analyst.ts";
import { checkClaims, claimsIn, dropReasons } from "./claims.ts";
import { ask, endOf } from "./conversation.ts";
import { oneCallQuestion } from "./one-call.ts";
import { submitName } from "./tools/submit-finding.ts";
import { toolsQuestion } from "./with-tools.ts";

/** What the analyst said of a run, as an analysis keeps it. */
export const readingSchema = z.strictObject({
  t: z.literal("analyst"),
  run: z.string(),
  digest: z.string(),
  /** The recorded conversation, relative to the analysis. */
  conversation: z.string(),
  /** The first decisive step's first. Citations hold. */
  faults: z.array(faultSchema),
  /** Claims that were dropped, by reason. */
  dropped: z.array(z.enum(dropReasons)),
  /** False: its reply could not be read as claims. */
  readable: z.boolean(),
  input: z.int(),
  output: z.int(),
  /** USD; null: the price is not known. */
  costUsd: z.number().nullable(),
});
export type Reading = z.infer<typeof readingSchema>;

interface ReadingRequest {
  readonly analyst: Analyst;
  /** The analysis. */
  readonly folder: string;
  /** All runs; failed ones are read. */
  readonly runs: readonly RunFaults[];
  readonly readable: readonly ReadableRun[];
  readonly reader: RunReader;
  /** By run: what an earlier process was told. */
  readonly known: ReadonlyMap<string, Reading>;
  readonly write: (line: JsonObject) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Readings {
  readonly readings: readonly Reading[];
  /** Failed runs that were not read, and why. */
  readonly unread: readonly { readonly run: string; readonly why: string }[];
}

/** Where conversations are, below an analysis. */
export const conversations = "analyst";

/** Has the analyst read every failed run that it has not read yet, some at a time, within the cost. What was paid for once is not asked again. */
export async function readFailedRuns(o: ReadingRequest): Promise<Readings> {
  const { analyst, known } = o;
  const failed = o.runs.filter(({ line }) => line.passed === false);
  const readings = new Map(
    failed.flatMap(({ line }) => (known.get(line.run)?.digest === line.digest ? [[line.run, known.get(line.run)]] : [])) as [
      string,
      Reading,
    ][],
  ); // filtered for those that are there
  const left = failed.filter(({ line }) => !readings.has(line.run));
  const unread: { run: string; why: string }[] = [];
  if (left.length > 0 && !(await analyst.confirm(planOf(analyst, left.length))))
    throw new CannotError("Nothing was sent to the model; add --yes to continue.");
  const budget = createBudget(analyst, [...readings.values()]);
  let done = 0;
  await pool(left, analyst.parallel, async (failedRun) => {
    o.signal.throwIfAborted();
    const { run, digest } = failedRun.line;
    const allowed = await budget.reserve();
    if (allowed === false) return void unread.push({ run, why: "--max-cost is reached" });
    try {
      const reading = await readOne(failedRun, o, allowed);
      if (typeof reading === "string") return void unread.push({ run, why: reading });
      readings.set(run, { ...reading, digest });
      await o.write({ ...reading, digest } as unknown as JsonObject); // plain data by its schema
    } finally {
      budget.spent(allowed, readings.has(run) ? (readings.get(run)?.costUsd ?? null) : 0);
      analyst.onProgress?.(++done, left.length);
    }
  });
  const sorted = failed.flatMap(({ line }) => readings.get(line.run) ?? []);
  return { readings: sorted, unread: unread.toSorted((a, b) => (a.run < b.run ? -1 : 1)) };
}

/** A sentence in place of a reading: why there is none, and the next time may be another. */
async function readOne(
  { line, faults }: RunFaults,
  o: ReadingRequest,
  costUsd: number | undefined,
): Promise<Omit<Reading, "digest"> | string> {
  const place = o.readable.find(({ name }) => name === line.run);
  const run = place ? await o.reader.read(place) : undefined;
  if (!run || isLeftOut(run)) return run?.why ?? "It is not there any more.";
  const key = sha256(line.digest).slice(0, 16);
  const asked =
    o.analyst.form === "one-call"
      ? oneCallQuestion(run, faults, o.analyst)
      : toolsQuestion({ run, sibling: await passedSibling(line, o) }, faults, o.analyst);
  const question = { ...asked, about: line.run, key, costUsd };
  const trace = await ask(o.analyst, `${o.folder}/${conversations}`, question, o.signal);
  o.signal.throwIfAborted();
  const { failure } = endOf(trace);
  if (failure !== undefined) return failure;
  return { ...readingOf(run, trace), conversation: `${conversations}/${key}/${trace.folder.split("/").at(-1) ?? ""}` };
}

/** A run of the same task that passed, of the same configuration and model where there is one. */
async function passedSibling(line: RunFaults["line"], o: ReadingRequest): Promise<AnalyzedRun | undefined> {
  const passed = o.runs.map((one) => one.line).filter((one) => one.passed === true && one.task === line.task);
  const same = (one: RunFaults["line"]): number => Number(one.configuration === line.configuration) + Number(one.model === line.model);
  const [nearest] = passed.toSorted((a, b) => same(b) - same(a) || (a.run < b.run ? -1 : 1));
  const place = nearest && o.readable.find(({ name }) => name === nearest.run);
  const run = place && (await o.reader.read(place));
  return run && !isLeftOut(run) ? run : undefined;
}

function readingOf(run: AnalyzedRun, trace: LoadedTrace): Omit<Reading, "digest" | "conversation"> {
  const { answer, input, output, costUsd } = endOf(trace);
  const submitted = trace.events.flatMap(({ t, d }) => {
    const call = objectOf(t === "tool.call" ? d["call"] : undefined);
    return call["name"] === submitName ? [call["args"]] : [];
  });
  const claims = submitted.length > 0 ? submitted : claimsIn(answer);
  const { faults, dropped } = checkClaims(run, claims ?? []);
  return {
    t: "analyst",
    run: run.name,
    faults: [...faults],
    dropped: [...dropped],
    readable: claims !== undefined,
    input,
    output,
    costUsd,
  };
}

/** What one run takes, guessed: its window in one call; about six calls over it where it has tools. */
const guessOf = ({ form, windowTokens }: Analyst): { input: number; output: number } =>
  form === "one-call" ? { input: windowTokens, output: 500 } : { input: 6 * 8_000, output: 6 * 350 };

function planOf(analyst: Analyst, runs: number): Parameters<Analyst["confirm"]>[0] {
  const each = guessOf(analyst);
  const price = analyst.priceOf(each);
  return { runs, input: runs * each.input, output: runs * each.output, costUsd: price === null ? null : runs * price };
}

interface Budget {
  /** Waits while what runs may leave room; undefined: no limit, false: nothing is left. */
  reserve(): Promise<number | undefined | false>;
  spent(reserved: number | undefined, costUsd: number | null): void;
}

/** Keeps what runs at once within the cost. What a call without a known price cost counts as guessed. */
function createBudget(analyst: Analyst, before: readonly Reading[]): Budget {
  const { maxCostUsd } = analyst;
  const each = analyst.priceOf(guessOf(analyst)) ?? 0;
  let spent = before.reduce((sum, { costUsd }) => sum + (costUsd ?? each), 0);
  let reserved = 0;
  let waiting: (() => void)[] = [];
  return {
    async reserve() {
      if (maxCostUsd === undefined || each === 0) return undefined;
      while (maxCostUsd - spent - reserved < each) {
        if (reserved < each) return false;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      const left = maxCostUsd - spent - reserved;
      reserved += each;
      return Math.min(left, each * 3);
    },
    spent(allowed, costUsd) {
      if (allowed === undefined) return;
      reserved -= each;
      spent += costUsd ?? each;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}
