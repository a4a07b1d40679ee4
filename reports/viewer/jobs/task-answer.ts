import { join } from "node:path";
import { taskStats, type TaskStats } from "../../../evals/report/task-stats.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { CannotError, ForgeError } from "../../../harness/errors.ts";
import { textOf, memberOf } from "../../content/story-entry.ts";
import { percent, plural } from "../../text/format.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";
import { openBlobStore } from "../../../traces/format/blob-store.ts";
import { decodeData } from "../../../traces/format/decode.ts";
import { readTrace } from "../../../traces/read/read-trace.ts";
import { hasTrace } from "../../../traces/format/trace-files.ts";
import type { TaskAnswer } from "../api.ts";
import type { Places } from "../places.ts";
import type { JobStore } from "./job-store.ts";
import { trialLine } from "./trial-line.ts";

/** One task of a job: what it asks, and each trial of it. @throws CannotError for a task that the job does not have */
export async function taskAnswer(store: JobStore, places: Places, task: string): Promise<TaskAnswer> {
  const lock = await store.refresh();
  const about = Object.hasOwn(lock.tasks, task) ? lock.tasks[task] : undefined;
  if (!about) throw new CannotError(`The job has no task "${oneLine(task).slice(0, 100)}".`);
  const configurations = Object.keys(lock.configurations);
  const repeats = Array.from({ length: lock.repeats }, (_, i) => i + 1);
  const wanted = configurations.flatMap((configuration) => repeats.map((repeat) => ({ task, configuration, repeat })));
  const found = (await store.some(wanted)).filter((record) => record !== undefined);
  const [stats] = taskStats(found);
  const job = places.of(store.folder);
  const limits = Object.entries(about.limits).filter(([, value]) => value !== null && typeof value !== "object");
  const facts: (readonly [string, string])[] = [
    ["Family", about.family ?? ""],
    ["Level", about.difficulty ?? ""],
    ["Mode", about.mode],
    ["Limits", limits.map(([name, value]) => `${name} ${String(value)}`).join(", ")],
    ["Digest", about.digest.slice(0, 16)],
  ];
  return {
    task: oneLine(task),
    facts: facts.flatMap(([name, value]) => (value === "" ? [] : [[name, oneLine(value)] as const])),
    instruction: await instructionOf(store.folder, found),
    verdict: stats ? saying(stats) : "No trial has ended yet.",
    arms: configurations.map((configuration) => {
      const own = found.filter((record) => record.configuration === configuration);
      const scored = own.filter(({ passed }) => passed !== null);
      const passed = scored.filter((record) => record.passed === true).length;
      return {
        configuration: oneLine(configuration),
        says: scored.length > 0 ? `${passed} of ${scored.length} passed` : "no trial with a score",
        trials: own.map((record) => trialLine(record, job)),
      };
    }),
  };
}

const verdicts: Readonly<Record<TaskStats["verdict"], string>> = {
  unscored: "No trial of it has a score.",
  never: "Never passed: it discriminates between no configurations.",
  always: "Always passed: it discriminates between no configurations.",
  against: "Those that do worse elsewhere do better here: look at it.",
  tells: "The configurations differ on it.",
  unclear: "The configurations differ on it, by no more than chance may.",
  mixed: "Passed now and then, by all alike.",
};

const saying = ({ verdict, rate, scored }: TaskStats): string =>
  `${verdicts[verdict]}${rate === null ? "" : ` Passed ${percent(rate)} of ${plural(scored, "scored trial")}.`}`;

/** From the first run whose trace can be read; it stands in its first event. */
async function instructionOf(folder: string, records: readonly TrialRecord[]): Promise<string> {
  for (const { trace } of records) {
    const run = join(folder, trace);
    if (!hasTrace(run)) continue;
    try {
      const blobs = openBlobStore(join(run, "blobs"));
      for await (const { event } of readTrace(run)) {
        const said = textOf(
          memberOf(
            decodeData(event.d, (hash) => blobs.get(hash)),
            "input",
          ),
          "task",
        );
        if (said !== "") return printable(said).slice(0, 20_000);
        break;
      }
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error; // damaged: the next one
    }
  }
  return "";
}
