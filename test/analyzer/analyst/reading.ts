import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Analyst } from "../../../analyzer/analyst/analyst.ts";
import { analyze, type Analyzed } from "../../../analyzer/analysis/analyze.ts";
import { converse } from "../../../assembly/analyst.ts";
import { replayParts } from "../../../assembly/registry.ts";
import { createModel } from "../../../harness/models/create-model.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import { presets } from "../../../middleware/presets/presets.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";
import { findRuns } from "../../../traces/store/find-runs.ts";
import type { ReceivedRequest } from "../../servers/scripted-reply.ts";
import { writeRun } from "../../traces/write-run.ts";
import { eventsOf, type MadeRun } from "../make-run.ts";

/** A folder that is gone after the file's tests. */
export function ownFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "forge-analyst-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** The analyst as the command makes it, against a server on this machine. */
export const analystAt = (url: string, over: Partial<Analyst> & { readonly name?: string } = {}): Analyst => {
  const { name = "local/reader", ...rest } = over;
  return {
    model: { name, protocol: "native", maxOutputTokens: 2048, baseUrl: url },
    form: "one-call",
    windowTokens: 8_000,
    parallel: 2,
    maxCostUsd: undefined,
    priceOf: () => 0,
    confirm: async () => true,
    converse: async (conversation) =>
      converse(await createModel(conversation.config.model, { API_KEY: "key" }, { clock: systemClock }), conversation),
    ...rest,
  };
};

export const analyzeWith = (
  root: string,
  sources: readonly string[],
  analyst?: Analyst,
  signal = new AbortController().signal,
): Promise<Analyzed> =>
  analyze({ sources, analyses: join(root, "analyses"), store: join(root, "issues") }, { clock: systemClock, signal, presets, analyst });

/** Runs of tasks that failed after a look at a file, and one that passed. */
export function failedRuns(folder: string, count: number, over: Partial<MadeRun> = {}): string {
  for (let n = 0; n < count; n++)
    writeRun(
      join(folder, `failed-${n}`),
      eventsOf({
        instruction: `Sum the column of table ${n}.`,
        task: `sum-${n}`,
        passed: false,
        turns: [
          { text: `I look at the table number ${n} first.`, calls: [{ args: `cat table-${n}.csv`, output: "a,b\n1,2\n3,4\n" }] },
          { text: `The sum of the first column of table ${n} is 4, I am done.` },
        ],
        ...over,
      }),
    );
  writeRun(
    join(folder, "passed"),
    eventsOf({ instruction: "Sum.", task: "sum-0", passed: true, turns: [{ text: "The sum is 6 as the column says." }] }),
  );
  return folder;
}

/** The task of a conversation, as the server received it. */
export function askedIn({ body }: ReceivedRequest): string {
  const messages = body["messages"] as { role: string; content: unknown }[]; // as a client sends them
  return JSON.stringify(messages.filter(({ role }) => role === "user").map(({ content }) => content));
}

/** How every conversation of an analysis replays, a word each. */
export async function replayed(analysis: string): Promise<string[]> {
  const parts = replayParts({ trust: false });
  const words: string[] = [];
  for (const run of await findRuns(join(analysis, "analyst"))) words.push((await judgeRun(run, {}, parts)).text.split(" ")[0] ?? "");
  return words;
}
