import { mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { lockRunner } from "../../evals/job/runner-lock.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import { CannotError, codeOf, ConfigError, messageOf } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import { writeJson } from "../../harness/files/write-json.ts";
import { priorities } from "../contract.ts";
import type { IssueDraft } from "./issue-draft.ts";
import { isBroken, jobsOf, readIssue, type BrokenIssue, type StoredIssue } from "./stored-issue.ts";

/** Where the analyses are stored whose issues a store holds: beside it. */
export const analysesFor = (store: string): string => join(dirname(resolve(store)), "analyses");

export interface StoredIssues {
  /** As `forge issues` lists them. */
  readonly issues: readonly StoredIssue[];
  /** Files that a person broke: they are left as they are, and the other issues are worked with. */
  readonly broken: readonly BrokenIssue[];
}

const order = { open: 0, accepted: 1, completed: 2, rejected: 3, gone: 4 } as const;

/** Open ones first, then by what is worth most: the order of lists and of numbers. */
export const byWorth = (a: IssueDraft, b: IssueDraft): number =>
  order[a.status] - order[b.status] ||
  priorities.indexOf(a.priority) - priorities.indexOf(b.priority) ||
  b.lost - a.lost ||
  (a.id < b.id ? -1 : 1);

/** All issues of a store; none where it is not there. @throws CannotError for a store that cannot be read */
export async function issuesIn(store: string): Promise<StoredIssues> {
  const names = await readdir(store).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw new CannotError(`--store: ${store} cannot be read (${messageOf(error)}); name the folder that issues are stored in.`);
  });
  const files = names.filter((name) => /^[0-9a-f]{8}\.json$/.test(name)).toSorted();
  const issues: StoredIssue[] = [];
  const broken: BrokenIssue[] = [];
  for (const name of files) {
    const issue = await readIssue(join(store, name));
    if (isBroken(issue)) broken.push(issue);
    else issues.push(issue);
  }
  return { issues: issues.toSorted(byWorth), broken };
}

/** The issue that a person names by its number or the beginning of its id. @throws ConfigError where none or several fit, or its file is broken */
export function findIssue({ issues, broken }: StoredIssues, name: string): StoredIssue {
  const all = [...issues, ...broken];
  if (all.length === 0) throw new CannotError("There are no issues yet; run forge analyze JOB.");
  const number = /^#?(\d{1,3})$/.exec(name)?.[1];
  const numbered = number === undefined ? [] : all.filter((issue) => issue.number === Number(number));
  const fitting = numbered.length > 0 ? numbered : all.filter(({ id }) => id.startsWith(name));
  const [only] = fitting;
  if (only && fitting.length === 1) {
    if (isBroken(only)) throw new ConfigError(only.why);
    return only;
  }
  if (numbered.length > 1) {
    const each = numbered.map((issue) => (isBroken(issue) ? issue.id : `${issue.id} of ${jobsOf(issue).join(", ")}`));
    throw new ConfigError(`${numbered.length} issues have the number ${number} (${each.join("; ")}); name one by its id.`);
  }
  const listed = all.map((issue) => `${issue.number ?? "?"} (${issue.id})`).join(", ");
  throw new ConfigError(
    fitting.length > 1
      ? `"${name}" fits ${fitting.length} issues (${fitting.map(({ id }) => id).join(", ")}); write more of the id.`
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
