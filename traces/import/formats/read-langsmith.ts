import type { Client, Run } from "langsmith";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { CannotError, ForgeError, messageOf } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { isObject, type JsonObject } from "../../../harness/json.ts";
import type { ImportedItem, ImportedSession, TraceReader } from "../imported-session.ts";
import { langsmithItems, metadataOf, startOf, taskIn } from "./langsmith-items.ts";
import { objectIn, textIn } from "./lenient-fields.ts";
import { largestRun } from "./session-files.ts";

/** What makes a place one of LangSmith's: `langsmith:<project>`. */
export const langsmithPrefix = "langsmith:";

/** Traces of a LangSmith project, asked from its API page by page; only one trace is in memory. */
export function langsmithReader(o: { readonly url: string; readonly key: string; readonly retries?: number }): TraceReader {
  return {
    format: "langsmith",
    takes: "langsmith:PROJECT, read from LangSmith's API with LANGSMITH_API_KEY",
    recognizes: async (place) => place.startsWith(langsmithPrefix),
    async *read(place) {
      const project = place.slice(langsmithPrefix.length);
      const { Client } = await import("langsmith");
      const client = new Client({ apiUrl: o.url, apiKey: o.key, callerOptions: { maxRetries: o.retries ?? 3 } });
      const failed = (error: unknown): ForgeError => (error instanceof ForgeError ? error : refusal(o, project, error));
      let projectId: string;
      try {
        projectId = (await client.readProject({ projectName: project })).id;
      } catch (error) {
        throw failed(error);
      }
      for await (const root of guarded(queried(client, { projectId, isRoot: true }), failed)) {
        try {
          yield await traceOf(client, root, { place, projectId });
        } catch (error) {
          yield failed(error);
        }
      }
    },
  };
}

/** Without the package's note that another way to ask is being made ready: servers of one's own do not have it. */
async function* queried(client: Client, what: Parameters<Client["listRuns"]>[0]): AsyncGenerator<Run> {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    yield* client.listRuns(what);
  } finally {
    process.noDeprecation = noDeprecation ?? false;
  }
}

async function* guarded<T>(from: AsyncIterable<T>, failed: (error: unknown) => ForgeError): AsyncGenerator<T> {
  try {
    yield* from;
  } catch (error) {
    throw failed(error);
  }
}

async function traceOf(client: Client, given: Run, o: { place: string; projectId: string }): Promise<ImportedSession> {
  const found = new Map<string, JsonObject>();
  let left = largestRun;
  const traceId = given.trace_id ?? given.id;
  const take = (run: Run): void => {
    const plain = JSON.parse(JSON.stringify(run)) as JsonObject; // what an API answered is JSON
    left -= JSON.stringify(plain).length;
    if (left < 0)
      throw new CannotError(
        `The trace ${traceId} of ${o.place} is larger than ${largestRun / 1024 ** 2} MiB, which is the most that is taken into memory.`,
      );
    found.set(run.id, plain);
  };
  take(given);
  for await (const run of queried(client, { projectId: o.projectId, traceId })) if (!found.has(run.id)) take(run);
  const order = (run: JsonObject): string => textIn(run, "dotted_order") || textIn(run, "start_time");
  const [root = {}, ...below] = [...found.values()].toSorted((a, b) =>
    a["id"] === given.id ? -1 : b["id"] === given.id ? 1 : order(a) < order(b) ? -1 : 1,
  );
  const runs = [root, ...below];
  const metadata = metadataOf(root);
  const model = [metadata, ...below.map(metadataOf)].find((one) => textIn(one, "ls_model_name") !== "") ?? {};
  const items = langsmithItems(runs);
  const task = taskIn(root);
  const asked = items.some((item) => item.type === "user" && item.agent === undefined);
  const first: ImportedItem[] = asked || task === "" ? [] : [{ type: "user", content: [{ type: "text", text: task }], at: startOf(root) }];
  const verdict = verdictOf(objectIn(root, "feedback_stats"));
  const error = textIn(root, "error");
  const began = startOf(root);
  const taskName = textIn(metadata, "task");
  return {
    format: "langsmith",
    name: given.id,
    file: `${o.place} ${given.id}`,
    digest: digestOf(runs, verdict),
    agent: {
      name: textIn(metadata, "agent") || textIn(root, "name") || "unknown",
      version: textIn(metadata, "agent_version") || "unknown",
    },
    model: [textIn(model, "ls_provider"), textIn(model, "ls_model_name")].filter((part) => part !== "").join("/"),
    ...(taskName === "" ? {} : { taskName }),
    ...(began === undefined ? {} : { startedAt: began }),
    tools: [],
    items: [...first, ...items],
    ...(error === "" ? {} : { outcome: { type: "error" as const, kind: "agent" as const, message: error } }),
    ...(verdict ? { verdict } : {}),
    facts: {
      project: o.place.slice(langsmithPrefix.length),
      trace: traceId,
      name: textIn(root, "name"),
      metadata,
      feedback: objectIn(root, "feedback_stats"),
    },
  };
}

/** Feedback that says whether the work was right; what else was said of it stands in the facts. */
function verdictOf(stats: JsonObject): ImportedSession["verdict"] {
  const means = Object.entries(stats).flatMap(([key, value]): [string, number][] =>
    isObject(value) && typeof value["avg"] === "number" ? [[key, value["avg"]]] : [],
  );
  const rewards = Object.fromEntries(means);
  const decides = ["passed", "reward", "correctness", "correct"].find((key) => Object.hasOwn(rewards, key));
  return decides === undefined ? undefined : { rewards, passed: (rewards[decides] ?? 0) >= 1 };
}

/** Of what was said and done, and the verdict, which may come later; what a server counts and signs again each time is left out. */
const digestOf = (runs: readonly JsonObject[], verdict: ImportedSession["verdict"]): string =>
  sha256(
    canonicalJson([
      ...runs.map(({ id, name, run_type, start_time, end_time, inputs, outputs, error }) =>
        [id, name, run_type, start_time, end_time, inputs, outputs, error].map((value) => value ?? null),
      ),
      ...(verdict ? [verdict.rewards ?? {}] : []),
    ]),
  );

function refusal({ url, key }: { url: string; key: string }, project: string, error: unknown): CannotError {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${messageOf(error.cause)}` : "";
  const said = `${messageOf(error)}${cause}`.replaceAll(key, "…").replaceAll(/\s+/g, " ").slice(0, 300).replace(/\.$/, "");
  return new CannotError(
    `LangSmith at ${url} did not give the project ${project}: ${said}. Check the project's name, LANGSMITH_API_KEY and LANGSMITH_ENDPOINT.`,
  );
}
