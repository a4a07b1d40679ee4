import { writeFile } from "node:fs/promises";
import { confirm, isCancel } from "@clack/prompts";
import { applyPatch } from "../../analyzer/gate/apply-patch.ts";
import { findIssue, inStore, issuesIn, writeIssue } from "../../analyzer/issues/issue-store.ts";
import { CannotError, ConfigError, messageOf } from "../../harness/errors.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { textDiff } from "../../reports/terminal/issues.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { thisUser } from "./gate-ports.ts";
import type { ApplyFlags } from "./options.ts";

/** Carries out `forge issues apply`; answers the exit code: 1 where the user said no. */
export async function apply(name: string, { store, to, yes, json }: ApplyFlags): Promise<number> {
  const { id } = findIssue(await issuesIn(store), name);
  return inStore(store, { clock: systemClock }, async () => {
    const issue = findIssue(await issuesIn(store), id);
    const { before, after } = await applyPatch(issue, to);
    if (before === after) {
      process.stdout.write(json ? `${jsonLine({ issue: id, to, changed: false })}\n` : `${oneLine(to)} has the change already.\n`);
      return 0;
    }
    if (!json) process.stdout.write(`${oneLine(to)}\n${textDiff(before, after)}\n`);
    if (!yes && !(await agreed(to))) return 1;
    await writeFile(to, after).catch((error: unknown) => {
      throw new CannotError(`--to: ${to} cannot be written (${messageOf(error)}); name a file in a folder that is there.`);
    });
    const event = { what: "applied" as const, at: systemClock.now(), by: thisUser(), files: [to] };
    await writeIssue(store, { ...issue, history: [...issue.history, event] });
    process.stdout.write(json ? `${jsonLine({ issue: id, to, changed: true })}\n` : `Applied ${id} to ${oneLine(to)}.\n`);
    return 0;
  });
}

async function agreed(to: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(
      `${to} is changed only after a confirmation, and there is no terminal to ask on; look at the diff above, and add --yes.`,
    );
  const answer = await confirm({ message: `Change ${oneLine(to)}?`, initialValue: false });
  return !isCancel(answer) && answer;
}
