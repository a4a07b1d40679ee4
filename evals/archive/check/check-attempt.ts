import { plural } from "../../../harness/text/figures.ts";
import { join } from "node:path";
import { z } from "zod";
import { DamagedError } from "../../../harness/errors.ts";
import { isTraceFile } from "../../../traces/format/trace-files.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";
import { readJson } from "../../../harness/files/read-json.ts";
import { readdir } from "node:fs/promises";
import { isMachineTrouble } from "./findings.ts";

const stepsSchema = z.looseObject({ steps: z.array(z.looseObject({ name: z.string() })) });

/** L0 of every trace of an attempt. Answers the folders of its runs in their order, and whether each is sealed; none where the agent did not begin. */
export async function verifyAttempt(attempt: string): Promise<{ readonly runs: readonly string[]; readonly sealed: boolean }> {
  const runs = await runsOf(attempt);
  let sealed = runs.length > 0;
  for (const run of runs) {
    const check = await verifyTrace(run);
    sealed &&= check.sealed && !check.torn;
  }
  return { runs, sealed };
}

/** The folder of an attempt's last run: of the last step started that its `steps.json` names; without one, and where no agent began, the attempt's own. */
export async function lastRunOf(attempt: string): Promise<string> {
  const inSteps = (await namesIn(attempt)).includes("steps.json");
  return (inSteps ? await runsOf(attempt) : []).at(-1) ?? attempt;
}

/** Of a task of several steps the first run lies in the attempt's folder, the others in `steps/`. */
async function runsOf(attempt: string): Promise<string[]> {
  if (!(await hasTrace(attempt))) return [];
  const inSteps = await namesIn(join(attempt, "steps"));
  const found: string[] = [];
  for (const name of inSteps) if (await hasTrace(join(attempt, "steps", name))) found.push(name);
  const told = await readJson(join(attempt, "steps.json"), stepsSchema, "does not list the steps of a task.");
  const order = (told?.steps ?? []).slice(1).flatMap(({ name }) => (found.includes(name) ? [name] : []));
  if (told && order.length !== found.length)
    throw new DamagedError(
      `${join(attempt, "steps.json")} lists ${plural(order.length, "step")} with a trace, and there are ${found.length}.`,
    );
  return [attempt, ...(told ? order : found).map((name) => join(attempt, "steps", name))];
}

const hasTrace = async (folder: string): Promise<boolean> => (await namesIn(folder)).some(isTraceFile);

/** What lies in a folder; nothing where there is none. Throws only what is this machine's own trouble: it would look as if the files were missing. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMachineTrouble(error)) throw error;
    return [];
  }
}
