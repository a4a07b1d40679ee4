import { readFile, stat } from "node:fs/promises";
import { basename, relative } from "node:path";
import { z } from "zod";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import type { ImportedTrial } from "./imported-trial.ts";
import type { RunReader } from "./imported-runs.ts";
import { isInspectLog } from "./is-inspect-log.ts";
import { filesNamed, fingerprint, parseResult } from "./result-files.ts";
import { openZip } from "./zip-entries.ts";

const runner = "Inspect";
const optional = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> => schema.nullable().optional();
const usageSchema = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  total_tokens: optional(z.number()),
  input_tokens_cache_read: optional(z.number()),
  total_cost: optional(z.number()),
});
const sampleSchema = z.looseObject({
  id: z.union([z.string(), z.number()]),
  epoch: z.number(),
  scores: optional(z.record(z.string(), z.looseObject({ value: z.unknown() }))),
  /** The whole error in a log, its message in a summary. */
  error: z.unknown().optional(),
  model_usage: optional(z.record(z.string(), usageSchema)),
  working_time: optional(z.number()),
  turn_count: optional(z.number()),
  uuid: optional(z.string()),
});
const headSchema = z.looseObject({
  status: z.string(),
  eval: z.looseObject({
    task: z.string(),
    model: z.string(),
    solver: optional(z.string()),
    solver_args: z.unknown().optional(),
    task_args: z.unknown().optional(),
    model_generate_config: z.unknown().optional(),
    scorers: optional(z.array(z.looseObject({ name: z.string() }))),
    dataset: optional(z.looseObject({ samples: optional(z.number()) })),
    config: optional(z.looseObject({ epochs: optional(z.number()) })),
  }),
  plan: optional(z.looseObject({ steps: optional(z.array(z.looseObject({ solver: z.string(), params: z.unknown().optional() }))) })),
  results: optional(z.looseObject({ headline: optional(z.looseObject({ score: z.string() })) })),
});
type Head = z.infer<typeof headSchema>;
type Sample = z.infer<typeof sampleSchema>;

/** Text of a JSON log that Node can hold. */
const largestJson = 400 * 1024 * 1024;

/** Logs of Inspect, `.eval` or JSON: a sample is a task, an epoch a repeat, solver and model an arm. */
export const inspectReader: RunReader = {
  format: "inspect",
  runner,
  async read(place, add, notes) {
    const tasks = new Set<string>();
    const scorers = new Set<string>();
    const others = new Set<string>();
    for await (const file of logsOf(place)) {
      const { head, samples } = /\.eval$/i.test(file) ? await fromArchive(file) : await fromJson(file);
      tasks.add(head.eval.task);
      const scorer = head.results?.headline?.score ?? head.eval.scorers?.[0]?.name;
      if (scorer !== undefined) scorers.add(scorer);
      for (const { name } of head.eval.scorers ?? []) if (name !== scorer) others.add(name);
      if (head.status !== "success") notes.unfinished.push(`${file} is not finished: its status is ${head.status}`);
      const asked = (head.eval.dataset?.samples ?? 0) * (head.eval.config?.epochs ?? 1);
      let read = 0;
      for await (const sample of samples()) {
        read++;
        add(trialOf(head, sample, scorer, file, relative(place, file) || basename(file)));
      }
      if (head.status === "success" && read < asked)
        notes.shortcomings.push(`${file} has ${read} of ${asked} samples: it was run with a limit, or written without them`);
    }
    if (tasks.size === 0) throw new CannotError(`${place} has no log of Inspect in it; name a log, or the folder that holds them.`);
    notes.suite = [...tasks].toSorted().join(", ");
    notes.notKnown.push(
      "tasks are matched by the name of the task and the id of the sample: Inspect records no digests of their contents",
      "a sample that ended by an error has no score, whatever the cause",
    );
    if (scorers.size > 0 && others.size > 0)
      notes.notKnown.push(`the score is that of ${[...scorers].join(", ")}; the logs also have ${[...others].join(", ")}`);
  },
};

async function* logsOf(place: string): AsyncGenerator<string> {
  if (!(await stat(place)).isDirectory()) yield place;
  else for await (const file of filesNamed(place, (name) => /\.(eval|json)$/.test(name), 3)) if (await isInspectLog(file)) yield file;
}

interface Log {
  readonly head: Head;
  readonly samples: () => AsyncGenerator<Sample>;
}

async function fromJson(file: string): Promise<Log> {
  if ((await stat(file)).size > largestJson)
    throw new CannotError(
      `${file} has more than ${largestJson / 1024 / 1024} MB of JSON; write it as .eval (inspect log convert --to eval).`,
    );
  const schema = headSchema.extend({ samples: optional(z.array(sampleSchema)) });
  const log = parseResult(await readFile(file, "utf8"), file, schema, runner);
  return {
    head: log,
    async *samples() {
      yield* log.samples ?? [];
    },
  };
}

/** From the summaries, which have all that is needed; else sample by sample. */
async function fromArchive(file: string): Promise<Log> {
  const zip = await openZip(file);
  const named = (name: string): (typeof zip.entries)[number] | undefined => zip.entries.find((entry) => entry.name === name);
  const headOf = async (): Promise<Head> => {
    const header = named("header.json");
    if (header) return parseResult(await zip.text(header), `${file}: header.json`, headSchema, runner);
    const start = named("_journal/start.json");
    if (start)
      return parseResult(
        await zip.text(start),
        `${file}: start.json`,
        headSchema.extend({ status: z.string().default("started") }),
        runner,
      );
    throw new CannotError(`${file} is an archive, but no log of Inspect: it has no header.json; name the .eval file that inspect wrote.`);
  };
  const head = await headOf().catch(async (error: unknown) => {
    await zip.close(); // nobody else will: there are no samples to be read
    throw error;
  });
  return {
    head,
    async *samples() {
      try {
        const summaries = named("summaries.json");
        const lists = summaries ? [summaries] : zip.entries.filter(({ name }) => /^_journal\/summaries\/\d+\.json$/.test(name));
        for (const list of lists) yield* parseResult(await zip.text(list), `${file}: ${list.name}`, z.array(sampleSchema), runner);
        if (lists.length > 0) return;
        for (const entry of zip.entries)
          if (entry.name.startsWith("samples/")) yield parseResult(await zip.text(entry), `${file}: ${entry.name}`, sampleSchema, runner);
      } finally {
        await zip.close();
      }
    },
  };
}

function trialOf(head: Head, sample: Sample, scorer: string | undefined, file: string, trace: string): ImportedTrial {
  const place = `${file}, sample ${sample.id}, epoch ${sample.epoch}`;
  const steps = head.plan?.steps ?? [];
  const usages = Object.values(sample.model_usage ?? {});
  const all = (of: (usage: z.infer<typeof usageSchema>) => number | null | undefined): number | null =>
    usages.reduce<number | null>((total, usage) => plus(total, of(usage)), 0);
  const failed = sample.error !== null && sample.error !== undefined;
  const given = scorer === undefined ? undefined : sample.scores?.[scorer];
  if (!failed && given === undefined && Object.keys(sample.scores ?? {}).length > 0)
    throw new ConfigError(
      `${place}: there is no score of ${scorer ?? "any scorer that the log names"}, only of ${Object.keys(sample.scores ?? {}).join(", ")}; score the log again with one scorer (inspect score).`,
    );
  return {
    task: `${head.eval.task}/${sample.id}`,
    arm: head.eval.solver ?? (steps.map(({ solver }) => solver).join("+") || head.eval.task),
    model: head.eval.model,
    identity: fingerprint([head.eval.solver ?? null, head.eval.solver_args ?? null, head.eval.model_generate_config ?? null, steps]),
    repeat: sample.uuid ?? `${file} ${sample.epoch}`,
    score: failed || given === undefined ? null : inspectScore(given.value, place),
    tokensIn: all(({ input_tokens, output_tokens, total_tokens }) =>
      typeof total_tokens === "number" ? Math.max(input_tokens, total_tokens - output_tokens) : input_tokens,
    ),
    tokensOut: all((usage) => usage.output_tokens),
    tokensCached: all((usage) => usage.input_tokens_cache_read ?? 0),
    costUsd: all((usage) => usage.total_cost),
    activeMs: typeof sample.working_time === "number" ? sample.working_time * 1000 : null,
    turns: sample.turn_count ?? null,
    trace,
    place,
  };
}

const plus = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b === null || b === undefined ? null : a + b;

const letters: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };
const words: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };

/**
 * A value that a scorer of Inspect gave, as a number: C 1, P ½, I and N 0, yes and true 1, no and false 0, a number itself; null (Python's NaN) is no score.
 * @throws ConfigError for a list, an object, or another word
 */
function inspectScore(value: unknown, place: string): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    const known = Object.hasOwn(letters, value) ? letters[value] : words[value.toLowerCase()];
    if (known !== undefined) return known;
    if (value.toLowerCase() === "nan") return null;
    if (value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  }
  throw new ConfigError(
    `${place}: the score is ${JSON.stringify(value).slice(0, 80)}, which is no one number; score the log again with a scorer that gives one (inspect score), or write a table of task, arm, repeat and score.`,
  );
}
