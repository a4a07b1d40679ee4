import { z } from "zod";
import { CannotError, ConfigError, messageOf } from "../../harness/errors.ts";
import type { ImportedTrial } from "./imported-trial.ts";
import type { RunReader } from "./imported-runs.ts";

const prefix = "langsmith:";
export const isLangSmithPlace = (place: string): boolean => place.startsWith(prefix);

const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional().catch(null);
const metadataSchema = z.looseObject({
  task: optional(z.string()),
  ls_model_name: optional(z.string()),
  ls_provider: optional(z.string()),
});
const runSchema = z.looseObject({
  id: z.string(),
  reference_example_id: optional(z.string()),
  error: optional(z.string()),
  start_time: optional(z.union([z.string(), z.number()])),
  end_time: optional(z.union([z.string(), z.number()])),
  prompt_tokens: optional(z.number()),
  completion_tokens: optional(z.number()),
  total_cost: optional(z.union([z.number(), z.string()])),
  feedback_stats: optional(z.record(z.string(), z.looseObject({ avg: optional(z.number()) }))),
  extra: optional(z.looseObject({ metadata: optional(metadataSchema) })),
});
type Root = z.infer<typeof runSchema>;

/** In this order, where a project's runs have several kinds of feedback. */
const scoreKeys = ["passed", "reward", "correctness", "correct"];

/**
 * Experiments of LangSmith, `langsmith:PROJECT` or `langsmith:PROJECT#FEEDBACK`: a task is an example of the dataset, the arm is the project, the score
 * the feedback. Asked from the API; @throws CannotError where it does not answer, ConfigError where it is not clear which feedback counts
 */
export function langsmithReader(o: { readonly url: string; readonly key: string }): RunReader {
  return {
    format: "langsmith",
    runner: "LangSmith",
    async read(place, add, notes) {
      const [, project = "", wanted] = /^langsmith:(.*?)(?:#([^#]*))?$/s.exec(place) ?? [];
      const roots = await rootsOf(project, o);
      const key = scoreKey(roots, wanted, place);
      let [skipped, failed] = [0, 0];
      for (const root of roots) {
        const metadata = root.extra?.metadata;
        const task = root.reference_example_id ?? metadata?.task;
        if (task === null || task === undefined) {
          skipped++;
          continue;
        }
        const score = root.feedback_stats?.[key]?.avg ?? null;
        if (score === null && typeof root.error === "string") failed++;
        add(trialOf(root, { task, score, project, place }));
      }
      notes.suite = null;
      notes.notKnown.push(
        "tasks are matched by the id of their example, and its content then is not recorded",
        "the runner's settings are not recorded",
      );
      if (skipped > 0)
        notes.shortcomings.push(
          `${place}: ${skipped === 1 ? "1 trace belongs to no example and is" : `${skipped} traces belong to no example and are`} left out`,
        );
      if (failed > 0)
        notes.shortcomings.push(
          `${place}: ${failed === 1 ? "1 run ended by an error and has" : `${failed} runs ended by an error and have`} no ${key}`,
        );
    },
  };
}

function trialOf(root: Root, o: { task: string; score: number | null; project: string; place: string }): ImportedTrial {
  const { ls_provider: provider, ls_model_name: model } = root.extra?.metadata ?? {};
  const [start, end] = [timeOf(root.start_time), timeOf(root.end_time)];
  const cost = Number(root.total_cost ?? Number.NaN);
  return {
    task: o.task,
    arm: o.project,
    model: model === null || model === undefined ? null : [provider, model].filter(Boolean).join("/"),
    repeat: root.id,
    score: o.score,
    tokensIn: root.prompt_tokens ?? null,
    tokensOut: root.completion_tokens ?? null,
    costUsd: Number.isFinite(cost) ? cost : null,
    activeMs: start === undefined || end === undefined ? null : Math.max(0, end - start),
    place: `${o.place}, run ${root.id}`,
  };
}

/** LangSmith's times are UTC, with or without saying so. */
function timeOf(value: string | number | null | undefined): number | undefined {
  if (typeof value !== "string") return value ?? undefined;
  const time = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`);
  return Number.isFinite(time) ? time : undefined;
}

function scoreKey(roots: readonly Root[], wanted: string | undefined, place: string): string {
  const keys = [...new Set(roots.flatMap(({ feedback_stats: stats }) => Object.entries(stats ?? {}).flatMap(([key, one]) => (typeof one.avg === "number" ? [key] : []))))]; // prettier-ignore
  const found = wanted ?? scoreKeys.find((key) => keys.includes(key)) ?? (keys.length === 1 ? keys[0] : undefined);
  if (found !== undefined && keys.includes(found)) return found;
  const there = keys.length === 0 ? "its runs have no feedback with a number" : `there are ${keys.toSorted().join(", ")}`;
  throw new ConfigError(
    found === undefined
      ? `${place}: ${there}, so it is not clear what the score is; name one as ${place}#KEY.`
      : `${place}: there is no feedback "${found}" with a number; ${there}.`,
  );
}

async function rootsOf(project: string, { url, key }: { url: string; key: string }): Promise<Root[]> {
  const { Client } = await import("langsmith");
  const client = new Client({ apiUrl: url, apiKey: key });
  const { noDeprecation } = process;
  try {
    process.noDeprecation = true; // the package tells that another way to ask is being made ready, which servers of one's own do not have
    const roots: Root[] = [];
    const { id: projectId } = await client.readProject({ projectName: project });
    for await (const run of client.listRuns({ projectId, isRoot: true })) roots.push(runSchema.parse(run));
    return roots;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${messageOf(error.cause)}` : "";
    const said = `${messageOf(error)}${cause}`.replaceAll(key, "…").replaceAll(/\s+/g, " ").slice(0, 300).replace(/\.$/, "");
    throw new CannotError(
      `LangSmith at ${url} did not give the project ${project}: ${said}. Check the project's name, LANGSMITH_API_KEY and LANGSMITH_ENDPOINT.`,
    );
  } finally {
    process.noDeprecation = noDeprecation ?? false;
  }
}
