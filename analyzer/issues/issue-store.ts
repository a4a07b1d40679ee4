import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { lockRunner } from "../../evals/job/runner-lock.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import { ConfigError, CannotError } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import { writeJson } from "../../harness/files/write-json.ts";
import { priorities } from "../contract.ts";
import { readIssue, type StoredIssue } from "./stored-issue.ts";

/** Where the analyses are stored whose issues a store holds: beside it. */
export const analysesFor = (store: string): string => join(dirname(resolve(store)), "analyses");

/** All issues of a store, as `forge issues` lists them: open ones first, then by what is worth most. @throws ConfigError for a file that a person broke */
export async function issuesIn(store: string): Promise<StoredIssue[]> {
  const names = await readdir(store).catch(() => []);
  const files = names.filter((name) => /^[0-9a-f]{8}\.json$/.test(name)).toSorted();
  const issues: StoredIssue[] = [];
  for (const name of files) {
    const issue = await readIssue(join(store, name));
    if (issue.id !== basename(name, ".json"))
      throw new ConfigError(
        `${join(store, name)}: id: expected "${basename(name, ".json")}", the name of the file, got "${issue.id}"; put it back.`,
      );
    issues.push(issue);
  }
  const order = { open: 0, accepted: 1, rejected: 2, gone: 3 } as const;
  return issues.toSorted(
    (a, b) =>
      order[a.status] - order[b.status] ||
      priorities.indexOf(a.priority) - priorities.indexOf(b.priority) ||
      b.lost - a.lost ||
      (a.id < b.id ? -1 : 1),
  );
}

/** The issue that a person names by its number or the beginning of its id. @throws ConfigError where none or several fit */
export function findIssue(issues: readonly StoredIssue[], name: string): StoredIssue {
  if (issues.length === 0) throw new CannotError("There is no issue; forge analyze JOB looks for some.");
  const number = /^#?(\d{1,3})$/.exec(name)?.[1];
  const numbered: StoredIssue | undefined = number === undefined ? undefined : issues.find((issue) => issue.number === Number(number));
  if (numbered) return numbered;
  const fitting = issues.filter(({ id }) => id.startsWith(name));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const listed = issues.map((issue) => `${issue.number} (${issue.id})`).join(", ");
  throw new ConfigError(
    fitting.length > 1
      ? `"${name}" fits ${fitting.length} issues; write more of the id.`
      : `There is no issue "${name}"; there are ${listed}.`,
  );
}

/** Writes an issue so that a reader meets the old file or the new. */
export const writeIssue = (store: string, issue: StoredIssue): Promise<void> => writeJson(join(store, `${issue.id}.json`), issue);

/** Does something while no other process changes the store; makes its folder. */
export async function inStore<T>(
  store: string,
  o: { readonly clock: Clock; readonly signal?: AbortSignal },
  act: () => Promise<T>,
): Promise<T> {
  await makeFolder(store, "hold issues");
  const locks = join(store, ".lock");
  await mkdir(locks, { recursive: true });
  const lock = await lockRunner(locks, o);
  try {
    return await act();
  } finally {
    await lock.release();
  }
}
