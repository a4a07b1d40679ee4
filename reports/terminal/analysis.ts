import pc from "picocolors";
import type { Analyzed } from "../../analyzer/analysis/analyze.ts";
import { thresholds } from "../../analyzer/proposals/priority.ts";
import type { BrokenIssue, StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { changeOf, countsOf, heldBy, predictionOf, shortRun } from "../content/issue-lines.ts";
import { displayWidth, fitWidth } from "../text/display-width.ts";
import { count, cutAtWord, dollars, duration, plural } from "../text/format.ts";
import { nextSteps } from "../text/next-steps.ts";
import { wrapped } from "../text/wrapped.ts";

const width = 80;
const shownIssues = 3;

/** What an analysis found, for a terminal: the result first, at most three issues, then where to look next; `store`: where issues are kept, if not in the usual place. */
export function describeAnalysis(
  { analysis, issues, notes, runs, brokenIssues }: Analyzed,
  o: { readonly ms: number; readonly all: boolean; readonly store?: string | undefined },
): string {
  const store = o.store === undefined ? "" : ` --store ${oneLine(o.store)}`;
  const open = issues.filter(({ status }) => status !== "rejected" && status !== "completed");
  const shown = o.all ? issues : open.slice(0, shownIssues);
  const configurations = new Set(runs.map(({ configuration }) => configuration)).size;
  const hidden = o.all ? 0 : open.length - shown.length;
  const alone = aloneIn(analysis.findings, issues).length + analysis.unclassified.length;
  const settled = o.all ? [] : issues.filter((issue) => !open.includes(issue));
  const settledAs = (status: "rejected" | "completed"): string[] => {
    const count = settled.filter((issue) => issue.status === status).length;
    return count > 0 ? [`${plural(count, `${status} issue`)}: --all`] : [];
  };
  return [
    pc.bold(wrapped(headline(analysis, issues), "")),
    pc.dim(
      `rules and contrast, ${analysis.analyst ? oneLine(analysis.analyst.model) : "no model"}, ${duration(o.ms)} · analysis ${analysis.analysis}`,
    ),
    ...(analysis.analyst ? analystLines(analysis.analyst) : []),
    ...notes.map((note) => wrapped(note, "")),
    ...leftOutLines(analysis.leftOut, o.all),
    ...(brokenIssues.length === 0 ? [] : [brokenFiles(brokenIssues)]),
    ...shown.flatMap((issue) => ["", ...issueLines(issue, configurations)]),
    ...(o.all ? aloneLines(analysis, issues) : []),
    "",
    ...(hidden > 0 ? [`${plural(hidden, "more issue")}: --all`] : []),
    ...(alone > 0 && !o.all ? [`${plural(alone, "failed run")} in no issue: --all`] : []),
    ...settledAs("rejected"),
    ...settledAs("completed"),
    ...worth(open),
    ...(open.length > 0
      ? [
          nextSteps([
            ["Review", `issues${store}`],
            ["Evidence", `issues show ${open[0]?.number ?? 1}${store}`],
          ]),
        ]
      : []),
  ]
    .join("\n")
    .trimEnd();
}

const shownDisagreements = 3;

/** What the model read, what of its claims was dropped, and where it contradicts what was found without it. */
function analystLines({
  read,
  unread,
  claims,
  dropped,
  unreadable,
  byKind,
  disagrees,
  input,
  output,
  costUsd,
}: NonNullable<Analyzed["analysis"]["analyst"]>): string[] {
  const gone = Object.entries(dropped).map(([reason, count]) => `${count} ${reason}`);
  const others = disagrees.length - shownDisagreements;
  return [
    wrapped(
      `The analyst read ${plural(read, "failed run")} (${count(input)} tokens in, ${count(output)} out, ${dollars(costUsd)}): ${plural(claims, "cited claim")}; dropped: ${gone.length === 0 ? "none" : gone.join(", ")}${unreadable === 0 ? "" : `; ${unreadable} ${unreadable === 1 ? "reply" : "replies"} without claims`}.`,
      "",
    ),
    ...(unread.length === 0
      ? []
      : [wrapped(`${plural(unread.length, "failed run")} not read: ${unread[0]?.why ?? ""} Run the same command again to read them.`, "")]),
    ...(byKind === null ? [] : [wrapped(`What it names alone is grouped by kind: ${byKind}`, "")]),
    ...(disagrees.length === 0 ? [] : [`In ${plural(disagrees.length, "run")} it names another kind (rules and contrast | analyst):`]),
    ...disagrees.slice(0, shownDisagreements).map(({ run, without, analyst }) => {
      const both = `  ${without} | ${analyst}`;
      return `  ${fitWidth(oneLine(shortRun(run)), width - 2 - both.length)}${both}`;
    }),
    ...(others > 0 ? [`  … ${others} more: --json`] : []),
  ];
}

/** `288 runs, 84 failed. 3 issues cover 61 of the 84; 23 unclassified.` */
function headline({ runs, failed, unclassified, findings }: Analyzed["analysis"], issues: readonly StoredIssue[]): string {
  const counted = `${plural(runs, "run")}, ${failed} failed.`;
  if (failed === 0) return counted;
  const alone = aloneIn(findings, issues).length;
  const covered = failed - unclassified.length - alone;
  const cover =
    issues.length === 0
      ? "No issue."
      : `${plural(issues.length, "issue")} cover${issues.length === 1 ? "s" : ""} ${covered} of the ${failed};`;
  return `${counted} ${cover} ${alone > 0 ? `${alone} for a reason of ${alone === 1 ? "its" : "their"} own, ` : ""}${unclassified.length} unclassified.`;
}

/** The first findings of failed runs that no issue covers. */
function aloneIn(findings: Analyzed["analysis"]["findings"], issues: readonly StoredIssue[]): Analyzed["analysis"]["findings"] {
  const covered = new Set(issues.flatMap((issue) => issue.runs));
  return findings.filter(({ run, rank }) => rank === 1 && !covered.has(run));
}

/** Failed runs that no issue covers, and those of which nothing is known, a line each. */
function aloneLines({ findings, unclassified }: Analyzed["analysis"], issues: readonly StoredIssue[]): string[] {
  const alone = aloneIn(findings, issues);
  return [
    ...(alone.length === 0 ? [] : ["", pc.bold("For a reason of their own")]),
    ...alone.map(({ run, seq, why }) => fitWidth(`    ${oneLine(shortRun(run))}:${seq}  ${oneLine(why)}`, width)),
    ...(unclassified.length === 0 ? [] : ["", pc.bold("Unclassified")]),
    ...unclassified.map((run) => fitWidth(`    ${oneLine(shortRun(run))}`, width)),
  ];
}

function issueLines(issue: StoredIssue, configurations: number): string[] {
  const counts = `${countsOf(issue)}   ${heldBy(issue, configurations)}`;
  const head = `#${issue.number}  ${oneLine(issue.title)}`;
  const [first] = issue.evidence;
  const places = wholeOnly(issue.evidence.map(({ run, seq }) => oneLine(`${shortRun(run)}:${seq}`)));
  const changed = changeOf(issue);
  return [
    pc.bold(fitWidth(head, width)),
    fitWidth(`    ${counts}${changed === "" ? "" : `   ${changed}`}${issue.status === "open" ? "" : `   ${issue.status}`}`, width),
    ...(first ? [pc.dim(`    ${fitWidth(oneLine(first.quote), width - 4)}`)] : []),
    ...(places === "" ? [] : [`    ${places}`]),
    `    ${issue.patch === null ? "advice     " : "suggested  "}${cutAtWord(oneLine(issue.suggestion), width - 15)}`,
    `    predicted  ${predictionOf(issue)} · ${issue.priority}`,
  ];
}

/** As many places as fit a line: half of one leads nowhere. */
function wholeOnly([first = "", ...others]: readonly string[]): string {
  let line = fitWidth(first, width - 4);
  for (const place of others) if (displayWidth(`${line}  ${place}`) <= width - 4) line = `${line}  ${place}`;
  return line;
}

function leftOutLines(leftOut: Analyzed["analysis"]["leftOut"], all: boolean): string[] {
  if (leftOut.length === 0) return [];
  const shown = all ? leftOut : leftOut.slice(0, 2);
  return [
    `${plural(leftOut.length, "run")} left out:`,
    ...shown.map(({ run, why }) => wrapped(`${shortRun(run)}: ${why}`, "  ")),
    ...(shown.length < leftOut.length ? [`  … ${leftOut.length - shown.length} more: --all`] : []),
  ];
}

/** Files of a store that a person broke: each with place, value and cure. */
export const brokenFiles = (broken: readonly BrokenIssue[]): string =>
  [
    `${plural(broken.length, "issue file")} cannot be read and ${broken.length === 1 ? "is" : "are"} left as ${broken.length === 1 ? "it is" : "they are"}:`,
    ...broken.map(({ why }) => wrapped(why, "  ")),
  ].join("\n");

function worth(issues: readonly StoredIssue[]): string[] {
  if (issues.length === 0 || issues.some(({ priority }) => priority !== "drop")) return [];
  return [`Nothing is worth fixing: no change wins ${Math.round(thresholds.ifEasy * 100)} % of the failed runs by what is known.`];
}
