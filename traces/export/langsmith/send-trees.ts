import { CannotError, messageOf } from "../../../harness/errors.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { LangSmithRun, LangSmithTree } from "./langsmith-run.ts";

export interface LangSmithPlace {
  /** Of the API, such as `https://api.smith.langchain.com`. */
  readonly url: string;
  readonly key: string;
  /** For a key of several. */
  readonly workspace?: string;
  readonly project: string;
  /** Tries again after one that failed for a reason that may pass; default 3. */
  readonly retries?: number;
}

/** What a place has taken, kept between exports: what it has is not sent again. Losing it costs a transfer; ids are the same then too. */
export interface Acknowledged {
  has(digest: string): boolean;
  add(digest: string): void;
}

/** Of what was sent in this export. */
export interface SentTree {
  /** Requests that were taken. */
  readonly batches: number;
  /** Requests that had been acknowledged before and were not sent. */
  readonly there: number;
  /** Nodes and verdicts that were refused because the server has one of the same id; it keeps its own. */
  readonly conflict: number;
}

/** A request has at most so many nodes and bytes, unless a single node is larger. LangSmith takes 100 and 20 MiB. */
const batchBounds = { runs: 100, bytes: 8 * 1024 ** 2 };

/** Sends run trees to a project, each request once. `send` throws `CannotError` where the server cannot be reached or refuses; the same call again goes on. */
export async function createLangSmithSender(place: LangSmithPlace, acknowledged: Acknowledged) {
  const { Client } = await import("langsmith");
  const client = new Client({
    apiUrl: place.url,
    apiKey: place.key,
    ...(place.workspace === undefined ? {} : { workspaceId: place.workspace }),
    autoBatchTracing: false,
    omitTracedRuntimeInfo: true,
    tracingSamplingRate: 1,
    callerOptions: { maxRetries: place.retries ?? 3 },
  });
  let projectId: string | undefined;
  /** A verdict has to say in which project its run is; the project may not be there yet. */
  const project = async (): Promise<string> =>
    (projectId ??= (await client.createProject({ projectName: place.project, upsert: true })).id);

  const who = [place.url, place.project, sha256(place.key), place.workspace ?? ""];
  type Counts = { -readonly [K in keyof SentTree]: SentTree[K] };
  const once = async (counts: Counts, content: unknown, send: () => Promise<unknown>, onConflict: () => unknown): Promise<void> => {
    const digest = sha256(JSON.stringify([...who, content]));
    if (acknowledged.has(digest)) return void counts.there++;
    try {
      await send();
      counts.batches++;
    } catch (error) {
      if (!isThere(error)) throw refusal(place, error);
      await onConflict();
    }
    acknowledged.add(digest);
  };
  /** Where one node is known, the request is refused with all that stand in it: then each goes alone. */
  const sendNodes = (counts: Counts, nodes: readonly LangSmithRun[]): Promise<void> =>
    once(
      counts,
      nodes,
      () => client.batchIngestRuns({ runCreates: nodes.map((run) => ({ ...run, session_name: place.project })) }),
      async () => {
        if (nodes.length === 1) counts.conflict++;
        else for (const node of nodes) await sendNodes(counts, [node]);
      },
    );
  return {
    async send({ runs, feedback }: LangSmithTree): Promise<SentTree> {
      const counts = { batches: 0, there: 0, conflict: 0 };
      for (const batch of batchesOf(runs)) await sendNodes(counts, batch);
      const [{ id: runId, start_time: startTime }] = runs;
      for (const { id: feedbackId, ...said } of feedback)
        await once(
          counts,
          [feedbackId, said],
          async () => client.createFeedback({ ...said, runId, feedbackId, startTime, sessionId: await project() }),
          () => counts.conflict++,
        );
      return counts;
    },
  };
}

/** In order, so that a node comes with or after the one that it stands below. The same nodes always make the same batches. */
export function batchesOf(runs: readonly LangSmithRun[], bounds: { runs: number; bytes: number } = batchBounds): LangSmithRun[][] {
  const batches: LangSmithRun[][] = [];
  let bytes = 0;
  for (const run of runs) {
    const size = Buffer.byteLength(JSON.stringify(run));
    const last = batches.at(-1);
    if (last && last.length < bounds.runs && bytes + size <= bounds.bytes) {
      last.push(run);
      bytes += size;
    } else {
      batches.push([run]);
      bytes = size;
    }
  }
  return batches;
}

const statusOf = (error: unknown): number | undefined =>
  typeof error === "object" && error !== null && "status" in error && typeof error.status === "number" ? error.status : undefined;

/** A conflict: the server has it already. */
const isThere = (error: unknown): boolean => statusOf(error) === 409 || (error instanceof Error && error.name === "LangSmithConflictError");

function refusal({ url, key }: LangSmithPlace, error: unknown): CannotError {
  const status = statusOf(error);
  const said = causeOf(error).replaceAll(key, "…").replaceAll(/\s+/g, " ").slice(0, 300).replace(/\.$/, "");
  const cure =
    status === 401 || status === 403
      ? "Check LANGSMITH_API_KEY, and LANGSMITH_WORKSPACE_ID for a key of several workspaces."
      : "What it has taken is not sent again: run the same command again to resume.";
  return new CannotError(`LangSmith at ${url} did not take the run: ${said}. ${cure}`);
}

/** What is said of a connection that failed stands in the cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  return [messageOf(error), ...(cause ? [messageOf(cause)] : [])].join(": ");
}
