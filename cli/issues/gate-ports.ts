import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { checkLeaks, type LeakCheck } from "../../analyzer/gate/leak-check.ts";
import { analysesFor } from "../../analyzer/issues/issue-store.ts";
import type { HashOf } from "../../analyzer/gate/accept-issue.ts";
import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { tasksOfJob } from "../../evals/job/tasks-of-job.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import { ForgeError } from "../../harness/errors.ts";
import { plural } from "../../reports/text/format.ts";

/** Who decides here. */
export const thisUser = (): string => userInfo().username;

/** Resolves a configuration's file as a bench would, with the recorded model where it names none. */
export const hashOf: HashOf = (path, model) => {
  const sources = [
    { kind: "values" as const, label: "the recording", config: { model } },
    { kind: "config" as const, value: resolve(path), folder: dirname(resolve(path)), owner: "user" as const },
  ];
  return loadConfig(sources, configRegistry);
};

export const leaksOf = async (issue: StoredIssue, store: string): Promise<LeakCheck> =>
  checkLeaks(issue.patch ?? "", issue, {
    analyses: analysesFor(store),
    taskFolders: await taskFolders(issue),
  });

/** Folders of the issue's tasks, from the jobs that its runs are of; none where a job does not tell or its suite has gone. */
async function taskFolders({ runs, tasks }: StoredIssue): Promise<string[]> {
  const jobs = new Set(runs.map((run) => run.slice(0, run.indexOf("/trials/"))).filter((job) => existsSync(join(job, "lock.json"))));
  const folders: string[] = [];
  for (const job of jobs)
    try {
      for (const task of await tasksOfJob(job, new Set(tasks), { taskEnv: [], cure: "" })) folders.push(task.folder);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error; // where the tasks are is not known: the check says that it saw no tests
    }
  return folders;
}

/** `no name of 32 tasks and 41 files, no literal of their tests`. */
export function leakText({ leaks, tasks, files, literals }: LeakCheck): string {
  if (leaks.length > 0) return `found ${leaks.map(({ what, word }) => `${what} "${word}"`).join(", ")}: take it out before accepting`;
  const tests = literals === undefined ? "; their tests were not found" : `, none of ${plural(literals, "literal")} of tests and solutions`;
  return `none of the names of ${plural(tasks, "task")} and ${plural(files, "file")} is in the patch${tests}`;
}
