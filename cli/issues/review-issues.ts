import { emitKeypressEvents } from "node:readline";
import { isCancel, text } from "@clack/prompts";
import pc from "picocolors";
import { issuesIn } from "../../analyzer/issues/issue-store.ts";
import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { ForgeError } from "../../harness/errors.ts";
import { printable } from "../../harness/text/printable.ts";
import { plural } from "../../reports/text/format.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { wrapped } from "../../reports/text/wrapped.ts";
import { describeIssue, issueTable, patchDiff } from "../../reports/terminal/issues.ts";
import { acceptedText, acceptOne, editOne, rejectOne } from "./decide-issues.ts";
import { leaksOf, leakText } from "./gate-ports.ts";
import { listIssues, warnOf } from "./show-issues.ts";
import type { StoreFlags } from "./options.ts";

const keys = "j next  k back  l list  1-3 evidence  d diff  a accept  e edit  r reject  q quit";

const help = `Keys
  j, k      the next issue, the one before; the arrows do the same
  space     what is left of a page
  l         a line an issue
  1 to 3    a piece of evidence in full
  d         the change as a diff
  a         accept: writes the patch as a file that --config takes
  e         edit the change in $EDITOR
  r         reject, with a reason
  q         quit`;

/** Carries out `forge issues` alone: one issue after the other with a key for each decision; a list where there is no terminal. */
export async function reviewIssues(flags: StoreFlags): Promise<void> {
  const { store } = flags;
  const { issues, broken } = await issuesIn(store);
  if (flags.json || !process.stdin.isTTY || !process.stdout.isTTY || issues.length === 0) return listIssues(flags);
  warnOf(broken);
  let at = 0;
  await show(issues[at], store, at, issues.length);
  for (;;) {
    const key = await pressed();
    const { issues: now } = await issuesIn(store);
    const shown = issues[at];
    const issue = now.find(({ id }) => id === shown?.id);
    if (key === "q" || key === "escape" || key === "ctrl-c" || !issue) return;
    if (key === "j" || key === "down") at = Math.min(issues.length - 1, at + 1);
    else if (key === "k" || key === "up") at = Math.max(0, at - 1);
    if (["j", "k", "up", "down", "return"].includes(key)) {
      const next = now.find(({ id }) => id === issues[at]?.id);
      await show(next, store, at, issues.length);
    } else if (key === "space") more();
    else await act(key, issue, now, store);
  }
}

async function act(key: string, issue: StoredIssue, all: readonly StoredIssue[], store: string): Promise<void> {
  try {
    if (key === "?") say(help);
    else if (key === "l") say(issueTable(all));
    else if (key === "d") say(issue.change === null ? "It has no patch." : patchDiff(issue));
    else if (/^[1-3]$/.test(key)) say(evidence(issue, Number(key)));
    else if (key === "a") say(acceptedText(await acceptOne(issue.id, { store })));
    else if (key === "e") {
      await editOne(issue.id, store);
      say(`Edited ${issue.id}.`);
    } else if (key === "r") {
      const reason = await text({ message: "Why not? (it is remembered)" });
      if (!isCancel(reason) && reason.trim() !== "") await rejectOne(issue.id, store, reason).then(() => say(`Rejected ${issue.id}.`));
    } else say(`${printable(key)} does nothing here; ? explains the keys.`);
  } catch (error) {
    // a decision that cannot be carried out is printed, and the review goes on
    if (!(error instanceof ForgeError)) throw error;
    say(pc.red(printable(error.message)));
  }
}

function evidence({ evidence: places }: StoredIssue, number: number): string {
  const place = places[number - 1];
  if (!place) return `There is no evidence ${number}.`;
  const { run, seq, step, quote, why } = place;
  const at = step === null ? "" : `, step ${step}`;
  return [
    `${pc.bold(printable(run))}`,
    wrapped(`event ${seq}${at}: ${why}`, ""),
    "",
    printable(quote),
    "",
    nextSteps([["Whole run", `traces show ${printable(run)}`]]),
  ].join("\n");
}

async function show(issue: StoredIssue | undefined, store: string, at: number, of: number): Promise<void> {
  if (!issue) return;
  const leaks = issue.patch === null ? {} : { leaks: leakText(await leaksOf(issue, store)) };
  say(`\n${pc.dim(`── issue ${at + 1} of ${of} ${"─".repeat(56)}`)}\n${describeIssue(issue, leaks)}`);
}

/** Lines that did not fit. */
let rest: string[] = [];

/** Prints a page from its beginning, as much as the terminal shows. */
function say(words: string): void {
  rest = `${words}\n`.split("\n");
  more();
}

/** Below a page: how much is left of it, the keys, and the cursor. */
const below = 3;

function more(): void {
  const { stdout } = process;
  const shown = rest.splice(0, Math.max(1, stdout.rows - below));
  const left = rest.length > 0 ? pc.bold(`── ${plural(rest.length, "more line")}: space`) : undefined;
  stdout.write([...shown, ...(left === undefined ? [] : [left]), pc.dim(keys), ""].join("\n"));
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** The next key that is pressed. */
function pressed(): Promise<string> {
  const { stdin } = process;
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  return new Promise((resolve) => {
    stdin.once("keypress", (letter: string | undefined, key: Key) => {
      stdin.setRawMode(false);
      stdin.pause();
      resolve(key.ctrl && key.name === "c" ? "ctrl-c" : (key.name ?? letter ?? ""));
    });
  });
}
