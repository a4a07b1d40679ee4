import { basename, dirname, join } from "node:path";
import type { Outcome } from "../../../harness/contract/run-result.ts";
import { ForgeError, messageOf } from "../../../harness/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import { eachSession } from "./each-session.ts";
import type { ImportedItem, ImportedSession, TraceReader } from "../imported-session.ts";
import { countIn, member, numberIn, objectIn, textIn, timeIn } from "./lenient-fields.ts";
import { readTrajectory } from "./read-atif.ts";
import { digestOf, filesBelow, isFile, isFolder, jsonIn, readingBudget, someFile, type ReadingBudget } from "./session-files.ts";

/** Jobs of Harbor, or one trial: `result.json` with the agent's `agent/trajectory.json`, where it wrote one. */
export const harborReader: TraceReader = {
  format: "harbor",
  takes: "a job's or a trial's folder of Harbor",
  async recognizes(place) {
    if (!(await isFolder(place))) return false;
    return someFile(filesBelow(place, isResultName), async (file) => isTrial(await jsonIn(file)));
  },
  read(place) {
    // what lies in a trial's folder is the trial's, such as what its agent left
    const trials = new Set<string>();
    return eachSession(filesBelow(place, isResultName, trials), async (file) => {
      const budget = readingBudget();
      const result = await jsonIn(file, budget);
      if (!isTrial(result)) return undefined;
      trials.add(dirname(file));
      return trialSession(dirname(file), result, budget);
    });
  },
};

const isResultName = (name: string): boolean => name === "result.json";
const isTrial = (value: Json): value is JsonObject =>
  isObject(value) && textIn(value, "trial_name") !== "" && textIn(value, "task_name") !== "";

async function trialSession(folder: string, result: JsonObject, budget: ReadingBudget): Promise<ImportedSession> {
  const info = objectIn(result, "agent_info");
  const used = objectIn(result, "agent_result");
  const modelInfo = objectIn(info, "model_info");
  const spoken = await trajectoryOf(folder, budget);
  const given = objectIn(objectIn(result, "verifier_result"), "rewards");
  const rewards = Object.fromEntries(Object.entries(given).filter((one): one is [string, number] => Number.isFinite(one[1])));
  const began = timeIn(result, "started_at");
  const judged = isObject(member(result, "verifier_result"));
  const reward = rewards["reward"] ?? meanOf(Object.values(rewards));
  return {
    format: "harbor",
    name: textIn(result, "trial_name") || basename(folder),
    file: join(folder, "result.json"),
    digest: digestOf(budget),
    agent: { name: textIn(info, "name") || "unknown", version: textIn(info, "version") || "unknown" },
    model:
      [textIn(modelInfo, "provider"), textIn(modelInfo, "name")].filter((part) => part !== "").join("/") || (spoken.session?.model ?? ""),
    taskName: textIn(result, "task_name"),
    ...(began === undefined ? {} : { startedAt: began }),
    tools: spoken.session?.tools ?? [],
    items: [...(spoken.session?.items ?? []), ...spoken.notes],
    ...(spoken.session?.outcome ? { outcome: spoken.session.outcome } : {}),
    ...endOf(objectIn(result, "exception_info")),
    ...(judged ? { verdict: { rewards, passed: reward !== undefined && reward >= 1 } } : {}),
    totals: {
      input: countIn(used, "n_input_tokens"),
      output: countIn(used, "n_output_tokens"),
      cached: countIn(used, "n_cache_tokens"),
      costUsd: numberIn(used, "cost_usd") ?? null,
    },
    facts: {
      trial: textIn(result, "trial_name"),
      dataset: textIn(result, "source"),
      taskChecksum: textIn(result, "task_checksum"),
      startedAt: textIn(result, "started_at"),
      finishedAt: textIn(result, "finished_at"),
      ...(spoken.session ? { trajectory: spoken.session.facts } : {}),
    },
  };
}

/** What the agent wrote of itself; a note where it wrote nothing that can be read. */
async function trajectoryOf(folder: string, budget: ReadingBudget): Promise<{ session?: ImportedSession; notes: ImportedItem[] }> {
  const file = join(folder, "agent", "trajectory.json");
  const missing = (why: string): ImportedItem => ({ type: "record", kind: "no trajectory", record: { why } });
  if (!(await isFile(file))) return { notes: [missing("the agent wrote no agent/trajectory.json")] };
  try {
    return { session: await readTrajectory(file, "", budget), notes: [] };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return { notes: [missing(messageOf(error))] };
  }
}

function endOf(exception: JsonObject): { outcome?: Outcome } {
  const type = textIn(exception, "exception_type");
  if (type === "") return {};
  if (type.startsWith("AgentTimeout")) return { outcome: { type: "limit", limit: "activeMs" } };
  return { outcome: { type: "error", kind: "agent", message: `${type}: ${textIn(exception, "exception_message").slice(0, 2000)}` } };
}

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
