import { basename } from "node:path";
import type { BenchEvent } from "../bench-events.ts";
import type { TrialPlace } from "../../trial/trial-place.ts";
import type { JobLock } from "../../job/job-lock.ts";
import { summarize } from "../../job/results/job-result.ts";
import { outcomeOf } from "../job-state.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import type { JournalLine } from "./journal-line.ts";

/** The event with which the job's last run began, from its files. `before`: final records of earlier runs; `infra`: trials of their infrastructure errors. */
export function startOf(
  lock: JobLock,
  o: {
    readonly path: string;
    readonly opened: JournalLine | undefined;
    readonly before: readonly TrialRecord[];
    readonly infra: readonly TrialPlace[];
    readonly now: number;
  },
): Extract<BenchEvent, { type: "job.start" }> {
  const tasks = Object.values(lock.tasks);
  const names = Object.keys(lock.configurations);
  return {
    type: "job.start",
    ts: o.opened?.ts ?? o.now,
    job: basename(o.path),
    folder: o.path,
    suite: lock.suite.name,
    agent: lock.agent,
    sandbox: lock.sandbox,
    modes: [...new Set(tasks.map(({ mode }) => mode))].toSorted(),
    simulated: Object.values(lock.configurations).some(({ model }) => model.simulated === true),
    tasks: tasks.length,
    repeats: lock.repeats,
    trials: tasks.length * names.length * lock.repeats,
    finished: o.before.length,
    jobs: o.opened?.t === "job.open" ? o.opened.jobs : 1,
    configurations: names.map((configuration) => {
      const { harnessHash = "", model } = lock.configurations[configuration] ?? {};
      const arm = {
        configuration,
        harnessHash,
        model: model ? `${model.provider}/${model.name}` : "",
        simulated: model?.simulated ?? false,
      };
      const own = (one: TrialPlace): boolean => one.configuration === configuration;
      return summarize(arm, o.before.filter(own), o.infra.filter(own).length);
    }),
    taskNames: Object.keys(lock.tasks),
    outcomes: o.before.map(outcomeOf),
  };
}
