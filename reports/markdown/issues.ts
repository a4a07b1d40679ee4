import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { countsOf, predictionOf } from "../content/issue-lines.ts";
import { inline } from "./inline.ts";

/** Issues for an issue tracker or a pull request. */
export function issuesMarkdown(issues: readonly StoredIssue[]): string {
  return `# Issues of the harness\n\n${issues.length === 0 ? "None.\n" : issues.map(issueMarkdown).join("\n")}`;
}

function issueMarkdown(issue: StoredIssue): string {
  const rows = issue.evidence.map(({ run, seq, quote }) => `- \`${tick(run)}:${seq}\` \`${tick(quote)}\``);
  return [
    `## ${inline(issue.title)}`,
    "",
    `\`${issue.id}\` · ${issue.status} · ${issue.priority} · ${issue.kind} · ${countsOf(issue)}`,
    "",
    ...rows,
    "",
    `${issue.patch === null ? "Recommendation" : "Suggested change"}: ${inline(issue.suggestion)}`,
    "",
    ...(issue.patch === null ? [] : ["````yaml", issue.patch.trimEnd(), "````", ""]),
    `Predicted: ${predictionOf(issue)}`,
    "",
  ].join("\n");
}

const tick = (text: string): string => oneLine(text).replaceAll("`", "'");
