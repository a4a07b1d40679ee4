import { createTwoFilesPatch } from "diff";
import pc from "picocolors";
import { jobsOf, type StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { configText } from "../../analyzer/proposals/base-config.ts";
import { probability } from "../../harness/text/figures.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { countsOf, heldBy, jobOf, predictionOf, radiusOf, shortRun } from "../content/issue-lines.ts";
import { displayWidth, fitMiddle, fitWidth, pageWidth } from "../text/display-width.ts";
import { plural } from "../text/format.ts";
import { forgeWord } from "../text/next-steps.ts";
import { plainTable } from "../text/lay-table.ts";
import { folded, wrapped } from "../text/wrapped.ts";

/** A line an issue, with its job where there are several; else one line below the table names it. */
export function issueTable(issues: readonly StoredIssue[]): string {
  const [first] = issues;
  const several = new Set(issues.map((issue) => jobsOf(issue).join())).size > 1;
  const rows = issues.map((issue) => [
    `${issue.number}`,
    issue.id,
    fitWidth(oneLine(issue.title), several ? 28 : longestTitle),
    `${issue.failed}/${issue.failed + issue.passed}`,
    issue.patch === null ? "advice" : "patch",
    issue.priority,
    issue.status,
    ...(several ? [fitMiddle(jobOf(issue), longestJob)] : []),
  ]);
  const head = ["#", "id", "issue", "failed", "change", "priority", "status", ...(several ? ["job"] : [])];
  const table = plainTable(head, rows, { left: true, dispensable: ["id"], most: several ? pageWidth() : width });
  return several || !first ? table : `${table}\n\nOf ${fitWidth(jobOf(first), width - 3)}.`;
}

const width = 80;
const longestTitle = 38;
const longestJob = 18;

/** What the gate shows of an issue: counts, contrast, evidence, the change, what it would win and what it may break. */
export function describeIssue(issue: StoredIssue, o: { readonly leaks?: string } = {}): string {
  const [low, high] = issue.interval.map((share) => Math.round(share * 100));
  const { contrast } = issue;
  const reason = issue.history.findLast(({ what }) => what === "rejected")?.reason;
  const several = issue.forms.length > 1 || issue.forms[0]?.form !== issue.title;
  return [
    pc.bold(wrapped(`#${issue.number} ${issue.title}`, "")),
    pc.dim(`${issue.id} · ${issue.kind} · ${issue.status} · priority: ${issue.priority} · ${jobOf(issue)}`),
    ...(issue.status === "rejected" && reason !== undefined ? [wrapped(`Rejected: ${reason}`, "")] : []),
    "",
    wrapped(`${countsOf(issue)} (95 % interval ${low} to ${high} %); the likeliest cause of ${plural(issue.lost, "failure")}.`, ""),
    wrapped(
      `${plural(issue.tasks.length, "task")}, ${plural(issue.families.length, "family", "families")} · ${heldBy(issue, 0)} · ${issue.models.join(", ")}`,
      "",
    ),
    ...(contrast
      ? [
          wrapped(
            `Against runs of the same task and configuration without it: odds of failing × ${number(contrast.oddsRatio)} (95 % interval ${number(contrast.low)} to ${number(contrast.high)}, ${probability(contrast.p)}).`,
            "",
          ),
        ]
      : []),
    ...(several
      ? issue.forms.slice(0, 6).map(({ form, runs, failed }) => {
          const of = `  ${String(runs).padStart(3)} ${runs === 1 ? "run " : "runs"}, ${failed} failed   `;
          return of + wrapped(form, " ".repeat(displayWidth(of))).trimStart();
        })
      : []),
    "",
    pc.bold("Evidence"),
    ...issue.evidence.flatMap(({ run, seq, step, quote, why }, i) => [
      wrapped(`${i + 1} ${shortRun(run)}, ${step === null ? "" : `step ${step}, `}event ${seq}`, ""),
      // a path in it may be longer than a line
      ...newSentences(why, issue.evidence.slice(0, i))
        .flatMap((text) => wrapped(text, "  ").split("\n"))
        .map((line) => fitWidth(line, width)),
      pc.dim(`  > ${fitWidth(oneLine(quote), width - 4)}`),
    ]),
    ...issue.evidence.slice(0, 1).flatMap(({ run }) => ["Read 1 whole:", `  ${forgeWord()} traces show ${oneLine(run)}`]), // to be pasted: never cut
    "",
    pc.bold(issue.patch === null ? "Recommendation" : "Suggested change"),
    wrapped(issue.suggestion, "  "),
    ...(issue.because === "" ? [] : [pc.dim(wrapped(issue.because, "  "))]),
    ...(issue.change === null ? [] : [patchDiff(issue)]),
    ...(issue.alternatives.length === 0 ? [] : [wrapped(`or: ${issue.alternatives.join("; ")}`, "  ")]),
    "",
    `Predicted  ${predictionOf(issue)}`,
    ...(issue.predictedFixes.length === 0 ? [] : [wrapped(`fixes: ${issue.predictedFixes.join(", ")}`, "  ")]),
    ...(issue.atRisk.length === 0 ? [] : [wrapped(`at risk: ${issue.atRisk.join(", ")}`, "  ")]),
    ...(issue.change === null ? [] : [`Replayed   ${wrapped(radiusOf(issue), "           ").trimStart()}`]),
    ...(o.leaks === undefined ? [] : [wrapped(`Leak check: ${o.leaks}.`, "")]),
  ].join("\n");
}

/** What the evidence before did not say already, if anything. */
function newSentences(why: string, before: StoredIssue["evidence"]): string[] {
  const sentences = (text: string): string[] => text.split(/(?<=\.) /);
  const said = new Set(before.flatMap((one) => sentences(one.why)));
  const left = sentences(why).filter((sentence) => !said.has(sentence));
  return left.length === 0 ? [] : [left.join(" ")];
}

/** The configuration with the change, as a diff against the one that was run. */
export function patchDiff({ base, change }: Pick<StoredIssue, "base" | "change">): string {
  if (!base || !change) return "";
  const after = {
    ...base.file,
    ...change,
    ...(change.model === undefined ? {} : { model: joined(base.file.model, change.model) }),
    ...(change.limits === undefined ? {} : { limits: { ...base.file.limits, ...change.limits } }),
    ...(change.prompt === undefined ? {} : { prompt: { ...base.file.prompt, ...change.prompt } }),
    ...(change.middleware === undefined ? {} : { middleware: [...(base.file.middleware ?? []), ...change.middleware] }),
  };
  return textDiff(configText(base.name, base.file), configText(base.name, after));
}

const joined = (a: unknown, b: unknown): object => ({ ...(typeof a === "object" ? a : {}), ...(typeof b === "object" ? b : {}) });

/** Changed lines with those around them, green and red. */
export function textDiff(before: string, after: string): string {
  const lines = createTwoFilesPatch("", "", before, after, "", "", { context: 8 }).split("\n").slice(4);
  return lines
    .filter((line) => !line.startsWith("\\") && !line.startsWith("@@"))
    .flatMap((line) => {
      const text = folded(printable(line), width - 6) // a long line goes on below, further in: what is accepted is shown whole
        .map((row, i) => `${i === 0 ? "  " : "      "}${row}`)
        .join("\n");
      return line.startsWith("+") ? pc.green(text) : line.startsWith("-") ? pc.red(text) : text;
    })
    .join("\n")
    .trimEnd();
}

const number = (value: number | null): string => (value === null ? "∞" : value < 10 ? value.toFixed(1) : String(Math.round(value)));
