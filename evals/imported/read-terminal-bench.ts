import { plural } from "../../harness/text/figures.ts";
import { dirname, join, relative } from "node:path";
import { existsSync } from "node:fs";
import { z } from "zod";
import { CannotError } from "../../harness/errors.ts";
import type { RunReader } from "./imported-runs.ts";
import { between, filesNamed, fingerprint, readResult } from "./result-files.ts";

const runner = "Terminal-Bench";
const optional = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> => schema.nullable().optional();
const metadataSchema = z.looseObject({
  agent_name: z.string(),
  model_name: optional(z.string()),
  dataset_name: optional(z.string()),
  dataset_version: optional(z.string()),
  agent_kwargs: optional(z.record(z.string(), z.unknown())),
  dataset_size: optional(z.number()),
  n_attempts: optional(z.number()),
});
const trialSchema = z.looseObject({
  id: optional(z.string()),
  trial_name: z.string(),
  task_id: z.string(),
  is_resolved: optional(z.boolean()),
  failure_mode: optional(z.string()),
  total_input_tokens: optional(z.number()),
  total_output_tokens: optional(z.number()),
  agent_started_at: optional(z.string()),
  agent_ended_at: optional(z.string()),
});
const resultsSchema = z.looseObject({ results: z.array(trialSchema) });
type Trial = z.infer<typeof trialSchema>;

/** The agent did not get to work. */
const neverBegan = new Set(["agent_installation_failed"]);

/**
 * Run folders of Terminal-Bench: `run_metadata.json`, and a `results.json` for all trials and one for each. Several runs below the named folder with the
 * same agent and model are repeats.
 */
export const terminalBenchReader: RunReader = {
  format: "terminal-bench",
  runner,
  async read(place, add, notes) {
    const suites = new Set<string>();
    const modes = new Map<string, number>();
    let runs = 0;
    const [mine] = existsSync(join(place, "run_metadata.json")) ? [join(place, "run_metadata.json")] : [];
    const files = mine === undefined ? filesNamed(place, (name) => name === "run_metadata.json", 3) : [mine];
    for await (const file of files) {
      runs++;
      const folder = dirname(file);
      const run = await readResult(file, metadataSchema, runner);
      suites.add([run.dataset_name ?? "tasks", run.dataset_version ?? ""].join(" ").trim());
      const identity = fingerprint([run.agent_name, run.model_name ?? null, run.agent_kwargs ?? null]);
      let finished = 0;
      for await (const { trial, where } of trialsOf(folder)) {
        finished++;
        const mode = trial.failure_mode ?? "unset";
        if (mode !== "unset" && mode !== "none") modes.set(mode, (modes.get(mode) ?? 0) + 1);
        const resolved = neverBegan.has(mode) ? null : (trial.is_resolved ?? null);
        add({
          task: trial.task_id,
          arm: run.agent_name,
          model: run.model_name ?? null,
          identity,
          repeat: trial.id ?? `${relative(place, folder)} ${trial.trial_name}`,
          score: resolved === null ? null : Number(resolved),
          tokensIn: trial.total_input_tokens ?? null,
          tokensOut: trial.total_output_tokens ?? null,
          activeMs: between(trial.agent_started_at, trial.agent_ended_at),
          trace: relative(place, join(folder, trial.task_id, trial.trial_name)),
          place: where,
        });
      }
      const asked = (run.dataset_size ?? 0) * (run.n_attempts ?? 1);
      if (finished < asked) notes.unfinished.push(`${folder} is not finished: ${finished} of ${plural(asked, "trial")} have a result`);
    }
    if (runs === 0)
      throw new CannotError(`${place} has no run_metadata.json, so it is no run of Terminal-Bench; name the folder that tb run wrote.`);
    notes.suite = [...suites].join(", ");
    notes.notKnown.push(
      "tasks are matched by name: Terminal-Bench records no digests of their contents",
      "a failure of machinery after the agent began counts as the agent's: Terminal-Bench does not record which",
      "cached tokens and cost are not recorded; working time is the agent's phase by the clock",
    );
    if (modes.size > 0)
      notes.notKnown.push(`whose fault the failures in ${place} were: ${[...modes].map(([mode, n]) => `${mode} ${n}`).join(", ")}`);
  },
};

/** Of runs that were copied into a run's folder. */
function liesInAnotherRun(file: string, run: string): boolean {
  for (let folder = dirname(file); folder !== run && folder.length > run.length; folder = dirname(folder))
    if (existsSync(join(folder, "run_metadata.json"))) return true;
  return false;
}

/** From the files of the trials, which are what counts; else from the one of the whole run. */
async function* trialsOf(folder: string): AsyncGenerator<{ trial: Trial; where: string }> {
  const whole = join(folder, "results.json");
  let single = 0;
  for await (const file of filesNamed(folder, (name) => name === "results.json", 2)) {
    if (file === whole || liesInAnotherRun(file, folder)) continue;
    single++;
    yield { trial: await readResult(file, trialSchema, runner), where: file };
  }
  if (single > 0 || !existsSync(whole)) return;
  const { results } = await readResult(whole, resultsSchema, runner);
  for (const [i, trial] of results.entries()) yield { trial, where: `${whole}, result ${i + 1}` };
}
