import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptIssue, type Accepted } from "../../analyzer/gate/accept-issue.ts";
import { editPatch, rejectIssue } from "../../analyzer/gate/decide.ts";
import { findIssue, inStore, issuesIn, writeIssue } from "../../analyzer/issues/issue-store.ts";
import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { ConfigError, messageOf } from "../../harness/errors.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { forgeWord, nextSteps } from "../../reports/text/next-steps.ts";
import { wrapped } from "../../reports/text/wrapped.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { hashOf, leaksOf, thisUser } from "./gate-ports.ts";
import type { AcceptFlags, EditFlags, RejectFlags } from "./options.ts";

/** Changes one issue while no other process changes the store. */
async function change<T extends { readonly issue: StoredIssue }>(
  name: string,
  store: string,
  make: (issue: StoredIssue) => Promise<T>,
): Promise<T> {
  return inStore(store, { clock: systemClock }, async () => {
    const made = await make(findIssue(await issuesIn(store), name));
    await writeIssue(store, made.issue);
    return made;
  });
}

/** Accepts an issue and writes its files. */
export const acceptOne = (name: string, { store, base, out }: AcceptFlags): Promise<Accepted> =>
  change(name, store, async (issue) =>
    acceptIssue(issue, {
      base,
      out: out ?? join(store, "patches"),
      by: thisUser(),
      at: systemClock.now(),
      leaks: await leaksOf(issue, store),
      hashOf,
    }),
  );

/** Carries out `forge issues accept`. */
export async function acceptIssues(name: string, flags: AcceptFlags): Promise<void> {
  const accepted = await acceptOne(name, flags);
  const { issue, ...rest } = accepted;
  if (flags.json) process.stdout.write(`${jsonLine({ issue: issue.id, ...rest })}\n`);
  else process.stdout.write(`${acceptedText(accepted)}\n`);
}

/** What was written, and how to measure it. */
export function acceptedText({ issue, base, patch, hashBefore, hashAfter, exact }: Accepted): string {
  const { model = "NAME", baseUrl } = issue.base ?? {};
  return [
    wrapped(`Accepted ${issue.id}: ${issue.suggestion}`, ""),
    `  ${hashBefore.slice(0, 12)}  ${base}`,
    `  ${hashAfter.slice(0, 12)}  ${patch}`,
    ...(exact ? [] : [wrapped("The first is not the hash that was recorded: another Forge or another file made that one.", "  ")]),
    "",
    "Measure it on tasks that it was not found in:",
    `  ${forgeWord()} bench TASKS \\`,
    `    --config ${base} \\`,
    `    --config ${patch} \\`,
    `    --model ${oneLine(model)}${baseUrl === undefined ? "" : ` \\`}`,
    ...(baseUrl === undefined ? [] : [`    --base-url ${quote(oneLine(baseUrl))}`]),
  ].join("\n");
}

/** Carries out `forge issues reject`. */
export async function rejectIssues(name: string, { store, reason, json }: RejectFlags): Promise<void> {
  const { issue } = await rejectOne(name, store, reason);
  process.stdout.write(
    json ? `${jsonLine({ issue: issue.id, status: issue.status })}\n` : `Rejected ${issue.id}; it is not proposed again.\n`,
  );
}

export const rejectOne = (name: string, store: string, reason: string): Promise<{ issue: StoredIssue }> =>
  change(name, store, async (issue) => ({ issue: rejectIssue(issue, { reason, by: thisUser(), at: systemClock.now() }) }));

/** Carries out `forge issues edit`. */
export async function editIssue(name: string, { store, patch, json }: EditFlags): Promise<void> {
  const issue = await editOne(name, store, patch);
  process.stdout.write(
    json
      ? `${jsonLine({ issue: issue.id, patch: issue.patch })}\n`
      : `Edited ${issue.id}. ${nextSteps([["Look", `issues show ${issue.id}`]])}\n`,
  );
}

/** @param patch a file; left out: the editor is opened */
export async function editOne(name: string, store: string, patch?: string): Promise<StoredIssue> {
  const before = findIssue(await issuesIn(store), name);
  const text = patch === undefined ? inEditor(before.patch ?? "# the changed keys, as in any configuration\n") : await textIn(patch);
  const { issue } = await change(before.id, store, async (now) => ({
    issue: editPatch(now, { text, path: patch ?? "the edited patch", by: thisUser(), at: systemClock.now() }),
  }));
  return issue;
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError(`--patch ${path} cannot be read (${messageOf(error)}); name a file with the changed keys.`);
  }
}

function inEditor(text: string): string {
  const editor = process.env["VISUAL"] ?? process.env["EDITOR"];
  if (editor === undefined || editor === "")
    throw new ConfigError("Neither VISUAL nor EDITOR names an editor; set one, or give --patch FILE.");
  const folder = mkdtempSync(join(tmpdir(), "forge-edit-"));
  const path = join(folder, "patch.yaml");
  try {
    writeFileSync(path, text);
    const [command = "", ...args] = editor.split(/\s+/);
    const { status, error } = spawnSync(command, [...args, path], { stdio: "inherit" });
    if (error || status !== 0)
      throw new ConfigError(`The editor "${editor}" ended with ${error?.message ?? `exit code ${status}`}; nothing was changed.`);
    return readFileSync(path, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
