import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Analyst } from "../../analyzer/analyst/analyst.ts";
import { promptVersion } from "../../analyzer/analyst/prompts/one-call.ts";
import { objectOf, wordOf } from "../../analyzer/runs/steps-of.ts";
import { CannotError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { loadTrace, type LoadedTrace } from "../../traces/read/load-trace.ts";
import { findRuns } from "../../traces/store/find-runs.ts";

const whatToName = 'name the folder "analyst" of an analysis, such as .forge/analyses/ID/analyst.';

/**
 * Serves the conversations of a folder, and asks nothing. All of them are read before the first is served: a recording that is damaged or cannot fit is refused
 * with its own place, and leaves nothing in the analysis. Throws `CannotError`, and `DamagedError` as `loadTrace`.
 */
export async function recordedAnalyst(given: string): Promise<Analyst> {
  const place = `--recorded ${oneLine(given)}`;
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CannotError(`${place}: ${existsSync(given) ? "it is a file" : "there is no such folder"}; ${whatToName}`);
  const inside = join(given, "analyst");
  const folder = existsSync(inside) ? inside : given; // an analysis, for its conversations
  const runs = await conversationsIn(folder, place);
  const seals: string[] = [];
  let [model, form]: [string, Analyst["form"]] = ["", "tools"];
  for (const run of runs) {
    const trace = await begun(run);
    if (!trace) continue;
    const { events, seal } = trace;
    const start = objectOf(events[0]?.d);
    const { question, prompt } = objectOf(objectOf(start["meta"])["analyst"]);
    const own = oneLine(relative(folder, run));
    if (wordOf(question) === undefined || !own.startsWith(`${wordOf(question)}/`))
      throw new CannotError(`${place}: ${own || "it"} is a run, and no conversation of an analyst; ${whatToName}`);
    if (prompt !== promptVersion)
      throw new CannotError(
        `${place}: ${own} was recorded with version ${oneLine(wordOf(prompt) ?? "–")} of the analyst's prompts, and this Forge has version ${promptVersion}; have a model read the runs again with --model.`,
      );
    const config = objectOf(start["config"]);
    if (config["name"] === "analyst-one-call") form = "one-call";
    model ||= wordOf(objectOf(config["model"])["name"]) ?? "";
    seals.push(seal?.head ?? "");
  }
  return {
    model: { name: model, protocol: "native", maxOutputTokens: 2048 },
    form,
    windowTokens: 0, // shows nothing
    parallel: 2,
    maxCostUsd: undefined,
    priceOf: () => 0,
    confirm: async () => true,
    recorded: { folder, digest: sha256(...seals) },
    converse: async ({ about }) => {
      throw new CannotError(
        about === undefined
          ? `${place}: it does not hold how what it names alone was sorted, since rules, contrast or runs have changed since it was recorded; have a model read the runs again with --model.`
          : `${place}: it holds no finished conversation about ${oneLine(about)}; analyze the runs that it was recorded of, or name a model that reads these with --model.`,
      );
    },
  };
}

/** Undefined: its process ended before the first event. */
async function begun(run: string): Promise<LoadedTrace | undefined> {
  try {
    return await loadTrace(run);
  } catch (error) {
    if (error instanceof CannotError) return undefined;
    throw error;
  }
}

async function conversationsIn(folder: string, place: string): Promise<string[]> {
  try {
    return await findRuns(folder);
  } catch (error) {
    if (error instanceof CannotError) throw new CannotError(`${place}: it holds no recorded conversation; ${whatToName}`);
    throw error;
  }
}
