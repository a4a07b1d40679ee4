import pc from "picocolors";
import { oneLine, printable } from "../../harness/text/printable.ts";
import type { RunAnswer } from "../../traces/replay/corpus/judge-run.ts";
import { fitWidth, pageWidth } from "../text/display-width.ts";
import { plural } from "../text/format.ts";
import { nextSteps } from "../text/next-steps.ts";
import { hanging } from "../text/wrapped.ts";

const [mostShown, mostChanges] = [3, 5];
/** Lines of a difference: of one run alone, and of one among others. */
const mostLines = { alone: 20, among: 6 };

/** Keeps of many answers what is shown of them. `all`: every one, whole; else those that differ, the first alone. */
export function createReplayedRuns(o: { readonly all: boolean; readonly current: boolean }) {
  const counts = new Map<string, number>();
  const changes = new Map<string, number>();
  const shown: RunAnswer[] = [];
  let [total, different, remarks] = [0, 0, 0];
  return {
    counts,
    add(answer: RunAnswer): void {
      total++;
      counts.set(answer.verdict, (counts.get(answer.verdict) ?? 0) + 1);
      const differs = answer.exitCode !== 0;
      if (differs) different++;
      else if (answer.torn || answer.detail?.cutOff || answer.detail?.redacted) remarks++;
      for (const change of answer.changes ?? []) changes.set(change, (changes.get(change) ?? 0) + 1);
      if (o.all || total === 1 || (differs && shown.filter(({ exitCode }) => exitCode !== 0).length < mostShown)) shown.push(answer);
    },
    /** Nothing is shown twice: of one run the run, of several how many came to which end, then each that is shown. */
    describe(): string {
      if (total === 1) return shown.map((one) => describeRun(one, o.all ? Infinity : mostLines.alone)).join("\n");
      const own = o.all ? shown : shown.filter(({ exitCode }) => exitCode !== 0);
      const hidden = different - own.filter(({ exitCode }) => exitCode !== 0).length;
      const since = [...changes].map(([change, runs]) => `changed since: ${oneLine(change)} (${plural(runs, "run")})`);
      return [
        `${plural(total, "run")}: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`,
        ...since.slice(0, mostChanges).map((line) => hanging(line)),
        ...(since.length > mostChanges ? [`… ${plural(since.length - mostChanges, "change")} more: --json`] : []),
        ...(o.current && since.length === 0 && different === 0 ? ["Nothing has changed since they were recorded."] : []),
        ...(own.length > 0 ? ["", ...own.map((one) => describeRun(one, o.all ? Infinity : mostLines.among))] : []),
        ...(hidden > 0 ? [`… ${hidden} more: --all`] : []),
        ...own.filter(({ verdict }) => verdict === "diverged" && !o.all).slice(0, 1).map(({ run }) => `\n${nextSteps([["Read it", `traces show ${oneLine(run)}`]])}`), // prettier-ignore
        ...(remarks > 0 && !o.all ? [`${plural(remarks, "recording")} cut off, torn or redacted: --all`] : []),
      ].join("\n");
    },
  };
}

/** Of more lines than there is room for: what comes before a diff, then its changed lines, since those around them are in both. */
function whatDiffers(lines: readonly string[], most: number): readonly string[] {
  const from = lines.findIndex((line) => /^\s*={10,}$/.test(line));
  const changed = lines.filter((line, i) => i > from && /^\s*(?:-(?!-- )|\+(?!\+\+ ))/.test(line));
  if (from < 0 || changed.length === 0) return lines.slice(0, most);
  return [...lines.slice(0, from), ...changed].slice(0, most);
}

/** Only what begins a line is ours: a recorded text of several lines is indented. */
function describeRun({ run, text, exitCode }: RunAnswer, most: number): string {
  const [head = "", ...lines] = printable(text.trimEnd()).split("\n");
  const rest = (lines.length > most ? whatDiffers(lines, most) : lines).map((line) =>
    most === Infinity ? `    ${line}` : fitWidth(`    ${line}`, pageWidth()),
  );
  const more = lines.length - rest.length;
  const [first = "", ...others] = hanging(`${oneLine(run)}: ${head}`, pageWidth() - 2).split("\n");
  return [
    `${exitCode === 0 ? pc.green("✓") : pc.red("✗")} ${first}`,
    ...others.map((line) => `  ${line}`),
    ...rest,
    ...(more > 0 ? [`    … ${plural(more, "line")} more: --all`] : []),
  ].join("\n");
}
