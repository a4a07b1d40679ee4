import type { IssueDraft } from "../../analyzer/issues/issue-draft.ts";
import { jobsOf, type StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { plural } from "../text/format.ts";

/** A run as a reader tells it: `security-fix/standard-text/3` of an attempt's folder, else the end of its path. */
export function shortRun(run: string): string {
  const [, task, configuration, repeat] = /trials\/([^/]+)\/([^/]+)\/(\d+)\/attempt-\d+/.exec(run) ?? [];
  if (task !== undefined && configuration !== undefined) return `${task}/${configuration}/${repeat}`;
  const parts = run.split("/");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : run;
}

/** `…/1a2b3c`, the end of a job's path; `2 jobs`. */
export function jobOf(issue: Pick<StoredIssue, "runs">): string {
  const [only = "", ...others] = jobsOf(issue);
  if (others.length > 0) return plural(others.length + 1, "job");
  const parts = oneLine(only).split("/");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : parts.join("/");
}

/** `30 runs, 28 failed`. */
export const countsOf = ({ failed, passed }: Pick<IssueDraft, "failed" | "passed">): string =>
  `${plural(failed + passed, "run")}, ${failed} failed`;

/** `only standard-text`, `2 configurations`. */
export function heldBy({ configurations }: Pick<IssueDraft, "configurations">, all: number): string {
  const [only] = configurations;
  if (configurations.length === 1 && only !== undefined) return all > 1 ? `only ${oneLine(only)}` : oneLine(only);
  return configurations.length === all ? "all configurations" : `${plural(configurations.length, "configuration")}`;
}

/** `+11 runs, 2 tasks at risk`. */
export function predictionOf({ gain, guessed, lost, atRisk, change, priority, radius }: IssueDraft): string {
  if (priority === "drop" && gain === 0) return "none: passed runs show it as often";
  const risk =
    change === null
      ? ""
      : atRisk.length === 0
        ? `, no task ${radius && radius.notKnown.passed > 0 ? "known to be " : ""}at risk`
        : `, ${plural(atRisk.length, "task")} at risk`;
  const guess = guessed === 0 ? "" : ` (${guessed} of ${lost} by other tasks)`;
  return `+${gain < 10 ? Math.round(gain * 10) / 10 : Math.round(gain)} ${gain === 1 ? "run" : "runs"}${risk}${guess}`;
}

/** `grown since analysis 1a2b`, of an issue that was there before; empty for a new one. */
export function changeOf({ history }: StoredIssue): string {
  const [last] = history.slice(-1);
  const words = { grown: "grown", shrunk: "shrunk", back: "back again", gone: "gone", same: "as before" } as const;
  return last && last.what in words ? words[last.what as keyof typeof words] : "";
}

/** What replaying a patch against recorded runs found, in sentences; empty for an issue without a patch. */
export function radiusOf({ change, radius }: Pick<IssueDraft, "change" | "radius">): string {
  if (change === null) return "";
  if (!radius) return "not replayed: only the first patches of an analysis are, as it found them";
  const { replayed, of, every, touched, notKnown, shown, why } = radius;
  if (replayed === 0) return `not replayed: ${why === "" ? "no run of this configuration can be" : why}`;
  const reached = touched.failed + touched.passed;
  const sides = `${touched.failed} failed, ${touched.passed} passed`;
  if (every === "prompt")
    return `every run's prompt changes (${plural(of, "run")}), so no single run shows what it does; ${reached === 0 ? "none" : `${reached} (${sides})`} called a tool that is gone`;
  if (every === "settings") return `every request has other settings (${plural(of, "run")}), so no single run shows what it does`;
  const unknown = notKnown.failed + notKnown.passed;
  const all = replayed === of ? `${plural(of, "run")} replayed` : `${replayed} of ${plural(of, "run")} replayed (a fixed sample)`;
  return [
    `${all}, ${reached} would go otherwise (${sides})`,
    ...(unknown === 0 ? [] : [`${unknown} not known, for they lack an answer that a middleware asks for`]),
    ...(shown.replayed === 0
      ? []
      : [`of ${plural(shown.replayed, "failed run")} that ${shown.replayed === 1 ? "shows" : "show"} it, ${shown.touched} may`]),
  ].join("; ");
}
