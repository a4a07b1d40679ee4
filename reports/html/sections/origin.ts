import type { JobReport } from "../../../evals/report/job-report.ts";
import { reproduceSteps } from "../../content/report-lines.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, type Section } from "./section.ts";

/** In what the configurations differ. */
export function changes({ changes: pairs }: JobReport): Section | undefined {
  if (pairs.length === 0) return undefined;
  return {
    id: "changes",
    title: "What is different",
    body: markup`${pairs.map(
      ({ a, b, parts }) =>
        markup`<h3>${name(a)} → ${name(b)}</h3>${
          parts.length > 0
            ? markup`<ul>${parts.map((part) => markup`<li><code>${part}</code></li>`)}</ul>`
            : markup`<p>Nothing that was recorded.</p>`
        }`,
    )}`,
  };
}

/** The commands, and the digests that say whether it is the same thing. */
export function reproduce(report: JobReport): Section {
  const { comparison } = report;
  const digests: (string | Markup)[][] = [
    [markup`suite ${name(comparison.suite)}`, markup`<code>${comparison.suiteDigest}</code>`],
    ...comparison.arms.map((arm) => [markup`harness of ${name(arm.name)}`, markup`<code>${arm.harnessHash}</code>`]),
  ];
  return {
    id: "reproduce",
    title: "To reproduce",
    body: markup`<dl>${reproduceSteps(report).map(({ command, what }) => markup`<dt>${what}</dt><dd><code>${command}</code></dd>`)}</dl>${dataTable("Digests", [{ title: "of" }, { title: "SHA-256" }], digests)}`,
  };
}
