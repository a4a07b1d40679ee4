import { writeFile } from "node:fs/promises";
import { issueSchema } from "../../analyzer/contract.ts";
import { findIssue, issuesIn } from "../../analyzer/issues/issue-store.ts";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { isAccepted, type BrokenIssue, type StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { brokenFiles } from "../../reports/terminal/analysis.ts";
import { issuesMarkdown } from "../../reports/markdown/issues.ts";
import { describeIssue, issueTable } from "../../reports/terminal/issues.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { issueStore } from "../shared/common-options.ts";
import { leaksOf, leakText } from "./gate-ports.ts";
import type { ExportFlags, StoreFlags } from "./options.ts";

/** Carries out `forge issues list`. */
export async function listIssues({ store, json }: StoreFlags): Promise<void> {
  const { issues, broken } = await issuesIn(store);
  warnOf(broken);
  if (json) for (const issue of issues) process.stdout.write(`${jsonLine(issueSchema.parse(issue))}\n`);
  else if (issues.length === 0 && broken.length > 0) return;
  else if (issues.length === 0) process.stdout.write(`There are no issues yet. ${nextSteps([["Look for some", "analyze JOB"]])}\n`);
  else
    process.stdout.write(
      `${issueTable(issues)}\n\n${nextSteps([
        ["Evidence", `issues show ${issues[0]?.number}${inStore(store)}`],
        ["Accept", `issues accept ${issues[0]?.number}${inStore(store)}`],
      ])}\n`,
    );
}

/** Names the left-out files on standard error. */
export const warnOf = (broken: readonly BrokenIssue[]): void => {
  if (broken.length > 0) process.stderr.write(`${brokenFiles(broken)}\n`);
};

/** Carries out `forge issues show`. */
export async function showIssue(name: string, { store, json }: StoreFlags): Promise<void> {
  const issue = findIssue(await issuesIn(store), name);
  if (json) return void process.stdout.write(`${jsonLine(issue)}\n`);
  const leaks = issue.patch === null ? {} : { leaks: leakText(await leaksOf(issue, store)) };
  process.stdout.write(`${describeIssue(issue, leaks)}\n\n${nextOf(issue, inStore(store))}\n`);
}

function nextOf({ number, status, patch }: StoredIssue, of: string): string {
  if (status === "rejected") return patch === null ? "" : nextSteps([["Accept it anyway", `issues accept ${number}${of}`]]);
  if (isAccepted({ status })) return nextSteps([["Add it to your configuration", `issues apply ${number} --to forge.yaml${of}`]]);
  const accept = patch === null ? [] : [["Accept", `issues accept ${number}${of}`] as const];
  return nextSteps([...accept, ["Reject", `issues reject ${number} --reason TEXT${of}`]]);
}

/** What a command for this store has to say beside; nothing for the usual one. */
const inStore = (store: string): string => (store === issueStore.default ? "" : ` --store ${oneLine(store)}`);

/** Carries out `forge issues export`. */
export async function exportIssues({ store, json, out }: ExportFlags): Promise<void> {
  const { issues, broken } = await issuesIn(store);
  warnOf(broken);
  const text = json ? issues.map((issue) => `${jsonLine(issue)}\n`).join("") : issuesMarkdown(issues);
  if (out === undefined) return void process.stdout.write(text);
  try {
    await writeFile(out, text);
  } catch (error) {
    throw new CannotError(`--out: ${out} cannot be written (${messageOf(error)}); name a file in a folder that is there.`);
  }
}
