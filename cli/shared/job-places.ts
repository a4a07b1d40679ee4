import type { Command } from "commander";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { CannotError, ConfigError } from "../../harness/errors.ts";

/** What the help says of an argument that is a job. */
export const jobPlace = "a job: its name, the beginning of its id, or its folder";

/** Arguments that are folders or files of runs, by their names in the help. */
const ofRuns = new Set(["run", "trial", "folder", "source", "job", "job|run"]);

/** Lets a command that takes folders of runs take a job's name or the beginning of its id too, alone or with a path below it, and the id of a run. */
export function withJobPlaces(command: Command): void {
  if (command.parent?.name() === "jobs" && command.name() === "list") return; // a folder of jobs
  const places = command.registeredArguments.map((argument) => ofRuns.has(argument.name()));
  if (!places.includes(true)) return;
  command.hook("preAction", async (_, acting) => {
    if (acting !== command) return;
    acting.processedArgs = await Promise.all(
      (acting.processedArgs as unknown[]).map((value, i) =>
        places[i] ? (Array.isArray(value) ? Promise.all(value.map(placeOf)) : placeOf(value)) : value,
      ),
    );
  });
}

async function placeOf(value: unknown): Promise<unknown> {
  if (typeof value !== "string" || value === "" || existsSync(value)) return value;
  const parts = value.split("/");
  const exists = parts.findIndex((_, i) => !existsSync(parts.slice(0, i + 1).join("/") || "/"));
  const [named, below] = [parts.slice(0, exists + 1), parts.slice(exists + 1)];
  const { jobNamed } = await import("../../evals/job/find-jobs.ts");
  const job = await jobNamed(named.join("/"));
  const place = job === undefined ? value : join(relative(process.cwd(), job) || ".", ...below);
  return (existsSync(place) ? undefined : await runPlace(place)) ?? place;
}

/** The folder of a run that is named by the beginning of its hash, alone or behind a folder that it is below. */
async function runPlace(value: string): Promise<string | undefined> {
  const [folder, word] = [dirname(value), basename(value)];
  const { isRunWord, runsNamed, runWords } = await import("../../traces/store/run-words.ts");
  if (!isRunWord(word) || (value !== word && !existsSync(folder))) return undefined;
  const { headsBelow } = await import("../../traces/store/known-runs.ts");
  const runs = await headsBelow(value === word ? [] : [folder]).catch((error: unknown) => {
    if (error instanceof CannotError) return []; // there is no run at all
    throw error;
  });
  const found = runsNamed(runs, word);
  if (found.length > 1)
    throw new ConfigError(`"${value}" fits ${found.length} runs: ${[...runWords(found).values()].join(", ")}; write more of it.`);
  return found[0] && (relative(process.cwd(), found[0].folder) || ".");
}
