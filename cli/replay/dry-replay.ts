import pc from "picocolors";
import { ConfigError } from "../../harness/errors.ts";
import { noAnswer } from "../../reports/content/blast-rows.ts";
import { describeBlastRadius } from "../../reports/terminal/blast-radius.ts";
import { markdownBlastRadius } from "../../reports/markdown/blast-radius.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { plural } from "../../reports/text/format.ts";
import { folded, hanging } from "../../reports/text/wrapped.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { createBlastRadius, type BlastRadius } from "../../traces/replay/dry/blast-radius.ts";
import type { DryRun } from "../../traces/replay/dry/dry-run.ts";
import { askCorpus } from "../../assembly/asking.ts";
import { findAllRuns } from "../../traces/store/find-runs.ts";
import type { DryFlags } from "./options.ts";
import { sayTorn } from "../shared/say-torn.ts";
import { createProgress } from "../shared/progress.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";

/** What another configuration would have done in recorded runs. */
interface DryAnswer {
  readonly result: BlastRadius;
  readonly leftOut: readonly { readonly reason: string; readonly runs: number }[];
  /** Where there was one alone. */
  readonly only: { readonly run: string; readonly dry: DryRun } | undefined;
  /** 0, or the gravest reason why a run could not be asked. */
  readonly exitCode: number;
}

/** Asks every run; with `json` a line each. */
export async function askDry(folders: readonly string[], flags: DryFlags): Promise<DryAnswer> {
  const radius = createBlastRadius();
  const left = new Map<string, number>();
  let exitCode = 0;
  let asked = 0;
  let only: { run: string; dry: DryRun } | undefined;
  const runs = await findAllRuns(folders);
  const progress = createProgress((done) => `${done} of ${plural(runs.length, "run")} asked`);
  const options = { config: flags.config, cwd: process.cwd(), trust: flags.trust === true };
  // a middleware that is tried here for the first time may loop for ever
  for await (const { run: folder, answer } of askCorpus(runs, "dry", options, { apart: true })) {
    progress.step();
    const run = runName(folder);
    if ("dry" in answer) {
      const { dry } = answer;
      radius.add(run, dry);
      only = asked++ === 0 ? { run, dry } : undefined;
      if (flags.json)
        process.stdout.write(
          `${jsonLine({ type: "run", run, ...dry, requests: requestsOf(dry), divergence: dry.divergence ?? null, notKnown: dry.notKnown ?? null, passed: dry.passed ?? null, torn: answer.torn })}\n`,
        );
      else if (answer.torn) {
        progress.end();
        sayTorn(folder, answer.torn);
      }
      continue;
    }
    const { exitCode: gravity } = answer.refused;
    const text = nameRuns(answer.refused.text);
    if (gravity === 2) throw new ConfigError(text); // a configuration that is wrong is wrong for every run
    exitCode = Math.max(exitCode, gravity);
    left.set(text, (left.get(text) ?? 0) + 1);
    if (flags.json) process.stdout.write(`${jsonLine({ type: "run", run, verdict: gravity === 4 ? "damaged" : "cannot", text })}\n`);
  }
  progress.end();
  return { result: radius.result(), leftOut: [...left].map(([reason, count]) => ({ reason, runs: count })), only, exitCode };
}

/** Carries out `forge replay dry`; answers the exit code. */
export async function dryReplay(folders: readonly string[], flags: DryFlags): Promise<number> {
  const { result, leftOut, only, exitCode } = await askDry(folders, flags);
  if (flags.json) process.stdout.write(`${jsonLine({ type: "summary", config: flags.config, ...result, leftOut })}\n`);
  else if (flags.markdown) process.stdout.write(markdownBlastRadius(flags.config, result, leftOut));
  else {
    if (only) process.stdout.write(`${describeOne(only.run, only.dry)}\n`);
    process.stdout.write(`${describeBlastRadius(flags.config, result, leftOut)}\n`);
  }
  return exitCode;
}

const requestsOf = ({ divergence, notKnown }: DryRun): "differ" | "not known" | "same" =>
  notKnown ? "not known" : divergence ? "differ" : "same";

/** Of a single run the difference itself. */
function describeOne(run: string, { divergence, notKnown, turns }: DryRun): string {
  if (notKnown)
    return `${pc.yellow("?")} ${oneLine(run)}: cannot be known from turn ${notKnown.turn ?? 1} on: ${oneLine(notKnown.middleware ?? "the harness")} ${noAnswer}.\n    ${oneLine(notKnown.what)}`;
  if (!divergence) return `${pc.green("✓")} ${oneLine(run)}: nothing would differ in ${plural(turns, "turn")}`;
  const by = divergence.middleware === undefined ? "" : ` Middleware: ${oneLine(divergence.middleware)}.`;
  const head = `${oneLine(run)}: first differs in turn ${divergence.turn ?? 1}, class ${divergence.class}: ${divergence.what}${by}`;
  const rows = printable(divergence.diff.trimEnd())
    .split("\n")
    .flatMap((line) => folded(line, pageWidth() - 4).map((row) => `    ${row}`));
  return [`${pc.yellow("≠")} ${hanging(head, pageWidth() - 2)}`, ...rows].join("\n");
}
