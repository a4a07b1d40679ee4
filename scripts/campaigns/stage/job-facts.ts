import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jobResultSchema, type JobResult } from "../../../evals/job/results/job-result.ts";
import { trialRecordSchema } from "../../../evals/trial/trial-record.ts";

/** What a job's folder holds when its last run has ended. */
export interface JobFacts {
  readonly result: JobResult;
  /** Attempts with a record, by class and the evidence that decided it, such as `infra (daemon kill)`. */
  readonly classes: ReadonlyMap<string, number>;
  /** Attempts that a killed runner broke off. */
  readonly brokenOff: number;
  /** Each a sentence; none: every trial is counted once, and scored. */
  readonly problems: readonly string[];
}

export function jobFacts(folder: string): JobFacts {
  const result = jobResultSchema.parse(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")));
  const files = readdirSync(join(folder, "trials"), { recursive: true, encoding: "utf8" });
  const classes = new Map<string, number>();
  for (const path of files.filter((name) => name.endsWith("record.json"))) {
    const kind = classOf(join(folder, "trials", path));
    classes.set(kind, (classes.get(kind) ?? 0) + 1);
  }
  const results = files.filter((path) => path.endsWith("/result.json")).length;
  const problems: string[] = [];
  if (result.status !== "finished") problems.push(`the job is ${result.status}`);
  if (results !== result.trials) problems.push(`${results} results for ${result.trials} trials`);
  if (result.unscored > 0) problems.push(`${result.unscored} trials have no score`);
  const counted = result.configurations.reduce((sum, { trials }) => sum + trials, 0);
  if (counted !== result.trials) problems.push(`${counted} trials are counted of ${result.trials}`);
  const unfinished = join(folder, "unfinished");
  return { result, classes, brokenOff: existsSync(unfinished) ? readdirSync(unfinished).length : 0, problems };
}

function classOf(path: string): string {
  const { class: kind, evidence = [] } = trialRecordSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  if (kind !== "infra") return kind;
  const causes = evidence.filter((one) => one.kind !== "run");
  const decided = causes.findLast((one) => one.kind !== "probe") ?? causes[0];
  if (!decided) return kind;
  const detail = ["event", "failure", "code"].flatMap((key) => (typeof decided[key] === "string" ? [decided[key]] : []));
  return `${kind} (${[decided.kind, ...detail].join(" ")})`;
}

/** `infra (daemon kill) 3, passed 12`. */
export const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
