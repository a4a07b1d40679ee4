import { basename, dirname, join } from "node:path";
import { CannotError, DamagedError } from "../../../harness/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";
import type { ToolSchema } from "../../../harness/contract/messages.ts";
import { atifItems } from "./atif-items.ts";
import { eachSession } from "./each-session.ts";
import type { ImportedSession, TraceReader } from "../imported-session.ts";
import { countIn, listIn, member, numberIn, objectIn, rest, textIn } from "./lenient-fields.ts";
import { digestOf, filesBelow, filesOf, isFile, isFolder, jsonIn, readingBudget, someFile, type ReadingBudget } from "./session-files.ts";

const rootFields = ["schema_version", "session_id", "agent", "steps", "final_metrics", "subagent_trajectories", "continued_trajectory_ref"];
/** A trajectory goes on in another file at most so often. */
const mostParts = 1000;

/** Trajectories of ATIF, v1.0 to v1.8: a JSON file, or all `trajectory.json` below a folder, however deep. */
export const atifReader: TraceReader = {
  format: "atif",
  takes: "a trajectory of ATIF (JSON), or a folder with trajectory.json files",
  async recognizes(place) {
    if (await isFile(place)) return place.endsWith(".json") && isTrajectory(await jsonIn(place).catch(() => null));
    return (await isFolder(place)) && someFile(filesBelow(place, isTrajectoryName), async () => true);
  },
  read: (place) =>
    eachSession(filesOf(place, isTrajectoryName), (file) => {
      const below = dirname(file).slice(place.length).replace(/^\/+/, "") || basename(place);
      return readTrajectory(file, file === place ? basename(place).replace(/\.json$/, "") : below);
    }),
};

const isTrajectoryName = (name: string): boolean => name === "trajectory.json";
/** Of a later version too: reading it says so. */
const isTrajectory = (value: unknown): boolean =>
  isObject(value as JsonObject) && textIn(value as JsonObject, "schema_version").startsWith("ATIF-v"); // looked at by isObject

/** One trajectory with those that it goes on in. Throws `DamagedError` for what is none, and `CannotError` for a later version. */
export async function readTrajectory(file: string, name: string, budget = readingBudget()): Promise<ImportedSession> {
  const parts = await partsFrom(file, budget);
  const [first = {}] = parts;
  const agent = objectIn(first, "agent");
  const model =
    textIn(agent, "model_name") ||
    textIn(
      listIn(first, "steps").find((step) => textIn(step, "model_name") !== ""),
      "model_name",
    );
  const metrics = objectIn(parts.at(-1), "final_metrics");
  return {
    format: "atif",
    name,
    file,
    digest: digestOf(budget),
    agent: { name: textIn(agent, "name") || "unknown", version: textIn(agent, "version") || "unknown" },
    model,
    tools: listIn(agent, "tool_definitions").flatMap(toolOf),
    items: parts.flatMap((part) => atifItems(part)),
    ...(answered(listIn(parts.at(-1), "steps").at(-1)) ? { outcome: { type: "done" } } : {}),
    totals: {
      input: countIn(metrics, "total_prompt_tokens"),
      output: countIn(metrics, "total_completion_tokens"),
      cached: countIn(metrics, "total_cached_tokens"),
      costUsd: numberIn(metrics, "total_cost_usd") ?? null,
    },
    facts: { ...rest(first, rootFields), schema: textIn(first, "schema_version"), session: textIn(first, "session_id") },
  };
}

/** Whether an agent was done with its last step: it may end with a call that says so. */
const answered = (last: Json | undefined): boolean => listIn(last, "tool_calls").length === 0 || isObject(member(last, "observation"));

async function partsFrom(file: string, budget: ReadingBudget): Promise<JsonObject[]> {
  const parts: JsonObject[] = [];
  const seen = new Set<string>();
  for (let path: string | undefined = file; path !== undefined && parts.length < mostParts;) {
    seen.add(path);
    const trajectory = await jsonIn(path, budget);
    const version = textIn(trajectory, "schema_version");
    if (!isObject(trajectory) || !version.startsWith("ATIF-v"))
      throw new DamagedError(`${path} is no trajectory of ATIF: it has no schema_version such as ATIF-v1.7.`);
    if (!version.startsWith("ATIF-v1."))
      throw new CannotError(`${path} is a trajectory of ${version.slice(0, 20)}, which this Forge does not know; it reads ATIF-v1.`);
    if (listIn(trajectory, "steps").length === 0) throw new DamagedError(`${path} has no steps, and a trajectory has at least one.`);
    parts.push(trajectory);
    const next: string = textIn(trajectory, "continued_trajectory_ref");
    // a name of a file beside this one: no other place is looked at
    const beside: string | undefined = next !== "" && next === basename(next) ? join(dirname(path), next) : undefined;
    path = beside !== undefined && !seen.has(beside) && (await isFile(beside)) ? beside : undefined;
  }
  return parts;
}

/** As OpenAI spells a function. */
function toolOf(value: unknown): ToolSchema[] {
  const one = objectIn(value as JsonObject, "function"); // looked at by objectIn
  const name = textIn(one, "name");
  return name === "" ? [] : [{ name, description: textIn(one, "description"), parameters: objectIn(one, "parameters") }];
}
