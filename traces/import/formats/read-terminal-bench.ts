import { basename, dirname, join } from "node:path";
import type { Outcome } from "../../../harness/contract/run-result.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import { eachSession } from "./each-session.ts";
import type { ImportedItem, ImportedSession, TraceReader } from "../imported-session.ts";
import { countIn, member, textIn, timeIn } from "./lenient-fields.ts";
import {
  contentsOf,
  digestOf,
  filesBelow,
  isFile,
  isFolder,
  jsonIn,
  readingBudget,
  someFile,
  type ReadingBudget,
} from "./session-files.ts";

/** Runs of Terminal-Bench 1: a folder a trial, with `results.json`, what the agent logged of each episode, and the terminal before and after. */
export const terminalBenchReader: TraceReader = {
  format: "terminal-bench",
  takes: "a run's folder of Terminal-Bench 1",
  async recognizes(place) {
    if (!(await isFolder(place))) return false;
    return someFile(filesBelow(place, isResultName), async (file) => isTrial(await jsonIn(file)));
  },
  async *read(place) {
    const run = await metadataOf(place);
    // what lies in a trial's folder is the trial's, such as what its agent left
    const trials = new Set<string>();
    yield* eachSession(filesBelow(place, isResultName, trials), async (file) => {
      const budget = readingBudget();
      const result = await jsonIn(file, budget);
      if (!isTrial(result)) return undefined;
      trials.add(dirname(file));
      return trialSession(dirname(file), { result, run, budget });
    });
  },
};

const isResultName = (name: string): boolean => name === "results.json";
const isTrial = (value: Json): value is JsonObject =>
  isObject(value) && textIn(value, "task_id") !== "" && textIn(value, "trial_name") !== "";

async function metadataOf(place: string): Promise<JsonObject> {
  for (const folder of [place, dirname(place), dirname(dirname(place))]) {
    const file = join(folder, "run_metadata.json");
    if (!(await isFile(file))) continue;
    const value = await jsonIn(file);
    return isObject(value) ? value : {};
  }
  return {};
}

async function trialSession(
  folder: string,
  { result, run, budget }: { result: JsonObject; run: JsonObject; budget: ReadingBudget },
): Promise<ImportedSession> {
  const at = timeIn(result, "agent_started_at") ?? timeIn(result, "trial_started_at");
  const mode = textIn(result, "failure_mode");
  const resolved = member(result, "is_resolved");
  const episodes = await episodesOf(folder, budget);
  const terminal = await terminalOf(folder, budget);
  const task: ImportedItem[] = textIn(result, "instruction") === "" || episodes.length > 0 ? [] : [{ type: "user", content: [{ type: "text", text: textIn(result, "instruction") }], at }]; // prettier-ignore
  return {
    format: "terminal-bench",
    name: textIn(result, "trial_name") || basename(folder),
    file: join(folder, "results.json"),
    digest: digestOf(budget),
    agent: { name: textIn(run, "agent_name") || "unknown", version: "unknown" },
    model: textIn(run, "model_name"),
    taskName: textIn(result, "task_id"),
    ...(at === undefined ? {} : { startedAt: at }),
    tools: [],
    items: [...task, ...episodes, ...terminal, { type: "record", kind: "results.json", record: result }],
    ...endOf(mode),
    ...(typeof resolved === "boolean" ? { verdict: { rewards: { resolved: Number(resolved) }, passed: resolved } } : {}),
    totals: { input: countIn(result, "total_input_tokens"), output: countIn(result, "total_output_tokens"), cached: 0, costUsd: null },
    facts: { trial: textIn(result, "trial_name"), dataset: textIn(run, "dataset_name"), failureMode: mode },
  };
}

/** Prompt and answer of each episode of an agent that logs them, as Terminus does. The answer is the model's text: what it typed stands in it. */
async function episodesOf(folder: string, budget: ReadingBudget): Promise<ImportedItem[]> {
  const logs = join(folder, "agent-logs");
  if (!(await isFolder(logs))) return [];
  const prompts: { n: number; file: string }[] = [];
  for await (const file of filesBelow(logs, (name) => name === "prompt.txt")) {
    if (typeof file !== "string") throw file;
    const [, n] = /^episode-(\d+)$/.exec(basename(dirname(file))) ?? [];
    if (n !== undefined) prompts.push({ n: Number(n), file });
  }
  const items: ImportedItem[] = [];
  for (const { n, file } of prompts.toSorted((a, b) => a.n - b.n)) {
    items.push({ type: "user", content: [{ type: "text", text: await contentsOf(file, budget) }], source: { episode: n } });
    const answer = join(dirname(file), "response.txt");
    if (!(await isFile(answer))) continue;
    items.push({
      type: "reply",
      message: { role: "assistant", content: [{ type: "text", text: await contentsOf(answer, budget) }] },
      calls: [],
      usage: { input: 0, output: 0, cached: 0 },
      stop: "end",
      costUsd: null,
      activeMs: 0,
      source: { episode: n },
    });
  }
  return items;
}

/** What the terminal showed, and what was typed. */
async function terminalOf(folder: string, budget: ReadingBudget): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for (const path of ["commands.txt", "panes/pre-agent.txt", "panes/post-agent.txt", "panes/post-test.txt"]) {
    const file = join(folder, path);
    if (await isFile(file)) items.push({ type: "record", kind: path, record: { text: await contentsOf(file, budget) } });
  }
  return items;
}

function endOf(mode: string): { outcome?: Outcome } {
  if (mode === "" || mode === "unset" || mode === "none") return {};
  if (/timeout/.test(mode)) return { outcome: { type: "limit", limit: "activeMs" } };
  return { outcome: { type: "error", kind: "agent", message: mode } };
}
