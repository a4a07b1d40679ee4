import type { Analyst } from "../../analyzer/analyst/analyst.ts";
import { analyze, type Analyzed } from "../../analyzer/analysis/analyze.ts";
import { analysesFor } from "../../analyzer/issues/issue-store.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { configRegistry, replayParts } from "../../assembly/registry.ts";
import { describeAnalysis } from "../../reports/terminal/analysis.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { createSlowProgress } from "../../reports/text/slow-progress.ts";
import { issueStore } from "../shared/common-options.ts";
import { interruptible } from "../shared/interruptible.ts";
import type { AnalyzeFlags } from "./options.ts";

/** What is found in recorded runs; without an analyst no model is asked. */
export async function analysisOf(sources: readonly string[], store: string, analyst?: Analyst): Promise<Analyzed> {
  const progress = createSlowProgress(process.stderr, systemClock.now);
  return interruptible(
    ({ stop }) =>
      analyze(
        { sources, analyses: analysesFor(store), store },
        {
          clock: systemClock,
          signal: stop,
          presets: configRegistry.presets,
          replay: replayParts({ trust: false }),
          analyst: analyst && { ...analyst, onProgress: (done, of) => progress.at("runs read", done, of) },
          onProgress: (done, of) => progress.at("analyzing", done, of),
        },
      ),
    "run the same command again to resume",
  ).finally(() => progress.end());
}

/** Carries out `forge analyze`, and returns what it found. */
export async function analyzeRuns(
  sources: readonly string[],
  { store, json, all }: Pick<AnalyzeFlags, "store" | "json" | "all">,
  analyst?: Analyst,
): Promise<Analyzed> {
  const begun = systemClock.now();
  const analyzed = await analysisOf(sources, store, analyst);
  const { analysis, contrast, notes } = analyzed;
  const brokenIssues = analyzed.brokenIssues.map(({ id, file, why }) => ({ id, file, why }));
  if (json) process.stdout.write(`${jsonLine({ ...analysis, contrast, notes, brokenIssues })}\n`);
  else
    process.stdout.write(
      `${describeAnalysis(analyzed, { ms: systemClock.now() - begun, all: all === true, store: store === issueStore.default ? undefined : store })}\n`,
    );
  return analyzed;
}
