import { readFile } from "node:fs/promises";
import { jobLockSchema } from "../../evals/job/job-lock.ts";
import { jobFolder } from "../../evals/job/job-folder.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { plural } from "../../reports/text/format.ts";

/** What was benched in a job, in a sentence. */
export async function aboutJob(folder: string): Promise<string> {
  const { tasks, configurations, repeats, agent } = jobLockSchema.parse(JSON.parse(await readFile(jobFolder(folder).lock, "utf8")));
  const names = Object.keys(configurations);
  const models = new Set(Object.values(configurations).map(({ model }) => model.name));
  const [n, trials] = [Object.keys(tasks).length, Object.keys(tasks).length * names.length * repeats];
  const by = agent === "configured" ? `a real model (${[...models].join(", ")})` : `the ${agent} agent`;
  return oneLine(
    `${plural(trials, "trial")} of ${by}: ${plural(n, "task")} × ${names.join(" and ")} × ${plural(repeats, "repeat")}, recorded in containers.`,
  );
}
