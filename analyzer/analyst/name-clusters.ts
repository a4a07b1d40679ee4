import { z } from "zod";
import { sha256 } from "../../harness/hash/sha256.ts";
import { pool } from "../../harness/pool.ts";
import { oneLine } from "../../harness/text/printable.ts";
import type { Fault } from "../detectors/find-faults.ts";
import type { Analyst } from "./analyst.ts";
import { jsonIn, schemaOf } from "./claims.ts";
import { ask, endOf } from "./conversation.ts";
import { belongSystem, proposeSystem } from "./prompts/clusters.ts";

const proposalSchema = z.strictObject({
  clusters: z.array(z.strictObject({ title: z.string(), means: z.string(), example: z.int() })),
});
const answersSchema = z.strictObject({ answers: z.array(z.strictObject({ cluster: z.int(), belongs: z.boolean() })) });

interface Named {
  readonly title: string;
  readonly means: string;
  readonly example: string;
}

export interface Clustered {
  /** The title of the cluster of each claim, in their order; undefined: it belongs to none. */
  readonly titles: readonly (string | undefined)[];
  readonly spent: { readonly input: number; readonly output: number; readonly costUsd: number | null };
  /** Why they are grouped by kind alone; undefined: they are not. */
  readonly why: string | undefined;
  /** False: a failing service or the cost kept it from being asked to its end, and the next time may be another. */
  readonly done: boolean;
}

const mostClusters = 8;
const mostSample = 40;

/**
 * Clusters by the model: it proposes mechanisms that exclude each other from a sample, then says of each claim to which it belongs, beside an example of
 * each. All that comes of it are titles of issues.
 */
export async function nameClusters(
  analyst: Analyst,
  o: { readonly folder: string; readonly claims: readonly Fault[]; readonly leftUsd: number | undefined; readonly signal: AbortSignal },
): Promise<Clustered> {
  const { claims, folder, signal } = o;
  const spent = { input: 0, output: 0, costUsd: 0 as number | null };
  const byKind = (why: string | undefined, done = true): Clustered => ({ titles: claims.map(() => undefined), spent, why, done });
  if (claims.length < 2) return byKind(undefined);
  const guessed = analyst.priceOf({ input: 1_200 * (claims.length + 1), output: 80 * claims.length + 400 }) ?? 0;
  if (o.leftUsd !== undefined && guessed > o.leftUsd) return byKind("--max-cost is reached.", false);

  const once = async <T>(name: string, system: string, task: string, schema: z.ZodType<T>): Promise<T | string | undefined> => {
    const key = sha256(name, task).slice(0, 16);
    const trace = await ask(analyst, folder, { key, name, system, task, tools: [], schema: schemaOf(schema), turns: 2 }, signal);
    signal.throwIfAborted();
    const end = endOf(trace);
    if (end.failure !== undefined) return end.failure;
    spent.input += end.input;
    spent.output += end.output;
    spent.costUsd = end.costUsd === null || spent.costUsd === null ? null : spent.costUsd + end.costUsd;
    return schema.safeParse(jsonIn(end.answer, Object.keys((schema as unknown as z.ZodObject).shape)[0] ?? "")).data; // both are objects of one key
  };

  const texts = claims.map(({ kind, why }) => `${kind}: ${why}`);
  const sample = texts.map((text, i) => ({ text, i })).toSorted((a, b) => (sha256(a.text) < sha256(b.text) ? -1 : 1)).slice(0, mostSample); // prettier-ignore
  const listed = sample.map(({ text }, i) => `${i + 1}. ${text}`).join("\n");
  const proposed = await once("analyst-clusters", proposeSystem, `Findings:\n${listed}`, proposalSchema);
  if (typeof proposed === "string") return byKind(proposed, false);
  const clusters = readClusters(
    proposed?.clusters ?? [],
    sample.map(({ text }) => text),
  );
  if (clusters.length === 0) return byKind("The model proposed no cluster that can be read.");

  const named = clusters.map(({ title, means, example }, i) => `${i + 1}. ${title}\n   ${means}\n   example: ${example}`).join("\n");
  const titles: (string | undefined)[] = claims.map(() => undefined);
  let failure: string | undefined;
  await pool([...texts.entries()], analyst.parallel, async ([i, text]) => {
    const answers = await once("analyst-belongs", belongSystem, `Mechanisms:\n${named}\n\nFinding:\n${text}`, answersSchema);
    if (typeof answers === "string") failure = answers;
    else titles[i] = clusters[(answers?.answers.find(({ belongs }) => belongs)?.cluster ?? 0) - 1]?.title; // the first: they exclude each other
  });
  return failure === undefined ? { titles, spent, why: undefined, done: true } : byKind(failure, false);
}

/** Titles are a line each, none twice, and end in a file's comment at most. */
function readClusters(proposed: z.infer<typeof proposalSchema>["clusters"], sample: readonly string[]): Named[] {
  const named = new Map<string, Named>();
  for (const { title, means, example } of proposed.slice(0, mostClusters)) {
    const line = oneLine(title).replaceAll(/[{}[\]"\\]/g, "").slice(0, 100).replace(/[.\s]+$/, ""); // prettier-ignore
    if (line.length >= 8) named.set(line, { title: line, means: oneLine(means).slice(0, 300), example: sample[example - 1] ?? "(none)" });
  }
  return [...named.values()];
}

/** A claim's cluster as its mechanism: what issues are made of. */
export const withTitles = (claims: readonly Fault[], { titles }: Clustered): Fault[] =>
  claims.map((claim, i) => ({ ...claim, mechanism: titles[i] ?? claim.mechanism }));
