import type { JobOverview } from "../../../evals/job/job-overview.ts";
import { spentOf, statusOf } from "../../terminal/job-list.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { JobLine } from "../api.ts";
import type { Places } from "../places.ts";

/** A job as the list of jobs has it. */
export const jobLine = (one: JobOverview, places: Places): JobLine => ({
  place: places.of(one.folder),
  name: oneLine(one.name ?? one.job),
  suite: oneLine(one.suite),
  configurations: one.configurations.map(oneLine),
  tasks: one.tasks,
  repeats: one.repeats,
  trials: one.trials,
  recorded: one.recorded,
  status: statusOf(one),
  running: one.runner !== undefined,
  passed: (one.result?.configurations ?? []).map(({ configuration, passed, trials, unscored }) => ({
    configuration: oneLine(configuration),
    passed,
    scored: trials - unscored,
  })),
  cost: one.result ? spentOf(one.result) : "",
  touchedAt: one.touchedAt,
});
