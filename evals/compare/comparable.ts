import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { JobLock } from "../job/job-lock.ts";
import type { FinishedJob } from "../job/results/load-job.ts";

/**
 * Why arms of these jobs measure different things; undefined when they can be compared. Different models are no reason: they change the label.
 * Two jobs with other tasks of the same suite are one measurement in two parts.
 */
export function notComparable(jobs: readonly FinishedJob[]): string | undefined {
  for (const { folder, lock } of jobs) {
    const remembers = Object.keys(lock.configurations).find((name) => isOn(lock.configurations[name]?.config["memory"]));
    if (remembers !== undefined) return `${folder} leaves memory on in ${remembers}: its trials know of each other`;
  }
  const [first, ...others] = jobs;
  if (!first) return undefined;
  for (const other of others) {
    const reason = differs(first.lock, other.lock);
    if (reason !== undefined) return `${first.folder} and ${other.folder} differ in ${reason}`;
  }
  return undefined;
}

function differs(a: JobLock, b: JobLock): string | undefined {
  if (a.sandbox !== b.sandbox) return `the sandbox: ${a.sandbox} and ${b.sandbox}`;
  const shared = Object.keys(a.tasks).filter((task) => Object.hasOwn(b.tasks, task));
  for (const task of shared) {
    const [x, y] = [a.tasks[task], b.tasks[task]];
    if (x?.digest !== y?.digest) return `the content of task ${task}`;
    if (x?.mode !== y?.mode) return `the mode of verification of task ${task}: ${x?.mode} and ${y?.mode}`;
    if (canonicalJson(x?.limits ?? {}) !== canonicalJson(y?.limits ?? {})) return `the sandbox limits of task ${task}`;
  }
  return undefined;
}

function isOn(setting: unknown): boolean {
  if (typeof setting !== "object" || setting === null) return setting === true;
  return !("off" in setting && setting.off === true);
}
