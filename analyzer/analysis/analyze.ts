import { join } from "node:path";
import type { Clock } from "../../harness/contract/ports.ts";
import type { JsonObject } from "../../harness/json.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { Analyst } from "../analyst/analyst.ts";
import { nameClusters, withTitles, type Clustered } from "../analyst/name-clusters.ts";
import { conversations, readFailedRuns, type Readings } from "../analyst/read-failed-runs.ts";
import { promptVersion } from "../analyst/prompts/one-call.ts";
import { summaryOf } from "../analyst/summary.ts";
import { faultsOfRuns, rankedFindings, withClaims, type RunFaults } from "../clusters/faults-of-runs.ts";
import { issueSchema, type Analysis, type LeftOut } from "../contract.ts";
import { readCells } from "../contrast/cells.ts";
import type { ContrastReport } from "../contrast/contrast-runs.ts";
import { detectors } from "../detectors/detectors.ts";
import { draftAnalystIssues, namedAlone, type ReadRun } from "../issues/analyst-issues.ts";
import { draftIssues } from "../issues/draft-issues.ts";
import { byWorth, inStore, issuesIn, writeIssue } from "../issues/issue-store.ts";
import { mergeIssues } from "../issues/merge-issues.ts";
import type { BrokenIssue, StoredIssue } from "../issues/stored-issue.ts";
import { baseConfigOf, type Presets } from "../proposals/base-config.ts";
import { replayPatches } from "../proposals/replay-patches.ts";
import type { ReplayParts } from "../../traces/replay/replay-parts.ts";
import { findSources, type FoundRun } from "../runs/find-sources.ts";
import { createRunReader, isLeftOut, type ReadableRun, type RunReader } from "../runs/read-runs.ts";
import { openAnalysis, type AnalysisFolder } from "./analysis-folder.ts";
import { rulesDigest } from "./rules-digest.ts";
import { runLine, writtenLineSchema, type RunLine } from "./run-line.ts";

export interface AnalyzeRequest {
  readonly sources: readonly string[];
  /** Where analyses are stored: each in a folder of its own, named after what it looked at. */
  readonly analyses: string;
  readonly store: string;
}

export interface AnalyzePorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What a rebuilt configuration may extend. */
  readonly presets: Presets;
  /** What patches are replayed with; left out: they are not. */
  readonly replay?: ReplayParts | undefined;
  /** A model that reads the failed runs; left out: rules and contrast alone. */
  readonly analyst?: Analyst | undefined;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface Analyzed {
  readonly analysis: Analysis;
  readonly folder: string;
  /** Of this analysis, as the store holds and lists them. */
  readonly issues: readonly StoredIssue[];
  /** Issue files that cannot be read, left as they are. */
  readonly brokenIssues: readonly BrokenIssue[];
  readonly contrast: ContrastReport;
  readonly runs: readonly RunLine[];
  /** Sentences about what the answer cannot rest on, with what to do. */
  readonly notes: readonly string[];
}

/**
 * Looks at all runs of some sources: rules for each, contrast over all, clusters, issues. The same runs in any order give the same findings and issues. What
 * an earlier process that was ended had looked at is not looked at again.
 */
export async function analyze({ sources, analyses, store }: AnalyzeRequest, o: AnalyzePorts): Promise<Analyzed> {
  const reader = createRunReader();
  const { readable, leftOut } = await inspectAll(await findSources(sources, o.signal), reader, o.signal);
  const reads = o.analyst ? [identityOf(o.analyst)] : [];
  const id = sha256(rulesDigest(), canonicalJson([readable.map(({ name, digest }) => [name, digest]), leftOut, ...reads])).slice(0, 12);
  const folder = await openAnalysis(join(analyses, id), o.clock, o.signal);
  try {
    const looked = await lookAtEach(readable, folder, reader, o);
    const comparable = looked.lines.filter(({ run }) => folder.hasRow(run));
    const { runs, contrast } = faultsOfRuns(looked.lines, readCells(comparable, folder.rowsOf));
    const read = await readBy(o.analyst, { folder, runs, readable, reader, signal: o.signal });
    const claims = new Map(read?.readings.map((reading) => [reading.run, reading.faults]));
    const drafting = { runs, contrasts: contrast.contrasts, bases: looked.bases };
    const said = runs.flatMap((run) => (claims.has(run.line.run) ? [{ run, claims: claims.get(run.line.run) ?? [] }] : []));
    const clustered = o.analyst && read && (await clusterBy(o.analyst, { folder, said, read, signal: o.signal }));
    const named = clustered?.said ?? [];
    const certain = draftIssues(drafting);
    const drafted = [...certain, ...draftAnalystIssues(named, certain, { ...drafting, model: o.analyst?.model.name ?? "" })];
    const folders = new Map(readable.map((run) => [run.name, run.folder]));
    const replaying = { runs: looked.lines, folderOf: (run: string) => folders.get(run), signal: o.signal };
    const drafts = (o.replay ? await replayPatches(drafted, { ...replaying, parts: o.replay }) : drafted).toSorted(byWorth);
    const at = o.clock.now();
    const { issues, broken } = await inStore(store, o, async () => {
      const before = await issuesIn(store);
      const merged = mergeIssues(before.issues, drafts, { analysis: id, at, runs: looked.lines, broken: before.broken });
      const untouched = new Set(before.broken.map((file) => file.id));
      for (const issue of merged) if (!before.issues.includes(issue) && !untouched.has(issue.id)) await writeIssue(store, issue);
      return { issues: merged.slice(0, drafts.length).toSorted(byWorth), broken: before.broken };
    });
    const all = runs.map((run) => withClaims(run, claims.get(run.line.run) ?? []));
    const analysis: Analysis = {
      ...resultOf(id, all, [...leftOut, ...looked.leftOut], issues),
      ...(o.analyst && read && clustered ? { analyst: summaryOf(o.analyst, { ...read, clustered }, runs) } : {}),
    };
    const done = !read?.unread.length && clustered?.done !== false;
    if (!folder.sealed && done) await folder.seal({ t: "result", ...(analysis as unknown as JsonObject) }); // plain data by its schema
    return { analysis, folder: folder.path, issues, brokenIssues: broken, contrast, runs: looked.lines, notes: notesOn(looked.lines) };
  } finally {
    await folder.close();
  }
}

async function inspectAll(
  found: readonly FoundRun[],
  reader: RunReader,
  signal: AbortSignal,
): Promise<{ readonly readable: readonly ReadableRun[]; readonly leftOut: readonly LeftOut[] }> {
  const readable: ReadableRun[] = [];
  const leftOut: LeftOut[] = [];
  for (const run of found) {
    signal.throwIfAborted();
    const inspected = await reader.inspect(run);
    if (isLeftOut(inspected)) leftOut.push(inspected);
    else readable.push(inspected);
  }
  return { readable, leftOut };
}

/** An analysis by another model, one that shows it less of a run, or one of another recording is another one. */
const identityOf = ({ model: { baseUrl: _, ...model }, form, windowTokens, recorded }: Analyst): JsonObject =>
  ({ model, form, windowTokens, promptVersion, ...(recorded ? { recorded: recorded.digest } : {}) }) as unknown as JsonObject; // plain data

async function readBy(
  analyst: Analyst | undefined,
  o: { readonly folder: AnalysisFolder } & Omit<Parameters<typeof readFailedRuns>[0], "analyst" | "folder" | "known" | "write">,
): Promise<Readings | undefined> {
  const { folder } = o;
  return analyst && readFailedRuns({ ...o, analyst, folder: folder.path, known: folder.readings, write: (line) => folder.add(line) });
}

/** What the analyst alone names, each first claim with the cluster that the model gave it. */
async function clusterBy(
  analyst: Analyst,
  { folder, said, read, signal }: { folder: AnalysisFolder; said: readonly ReadRun[]; read: Readings; signal: AbortSignal },
): Promise<Clustered & { readonly said: readonly ReadRun[] }> {
  const alone = namedAlone(said);
  const first = alone.flatMap(({ claims }) => claims.slice(0, 1));
  const paid = read.readings.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const leftUsd = analyst.maxCostUsd === undefined ? undefined : analyst.maxCostUsd - paid;
  const clustered = await nameClusters(analyst, { folder: join(folder.path, conversations), claims: first, leftUsd, signal });
  const titled = withTitles(first, clustered);
  return { ...clustered, said: alone.map(({ run, claims }, i) => ({ run, claims: [...titled.slice(i, i + 1), ...claims.slice(1)] })) };
}

interface Looked {
  readonly lines: readonly RunLine[];
  readonly leftOut: readonly LeftOut[];
  readonly bases: AnalysisFolder["bases"];
}

async function lookAtEach(
  readable: readonly ReadableRun[],
  folder: AnalysisFolder,
  reader: RunReader,
  { signal, presets, onProgress }: AnalyzePorts,
): Promise<Looked> {
  const bases = new Map(folder.bases);
  const lines: RunLine[] = [];
  const leftOut: LeftOut[] = [];
  const failures: unknown[] = [];
  let writing = Promise.resolve();
  const write = (written: Promise<void>): void => {
    writing = written.catch((error: unknown) => void failures.push(error));
  };
  for (const [i, run] of readable.entries()) {
    signal.throwIfAborted();
    if (failures.length > 0) break;
    onProgress?.(i, readable.length);
    const before = folder.runs.get(run.name) ?? folder.leftOut.get(run.name);
    if (before?.digest === run.digest) {
      if ("t" in before) lines.push(before);
      else leftOut.push({ run: before.run, why: before.why });
      continue;
    }
    const read = await reader.read(run);
    if (isLeftOut(read)) {
      write(folder.add({ t: "left-out", ...read, digest: run.digest }));
      leftOut.push(read);
      continue;
    }
    const { hash, config } = read.setup;
    if (hash !== "" && !bases.has(hash)) {
      const base = baseConfigOf(config, presets);
      bases.set(hash, base);
      write(folder.add({ t: "configuration", ...(base as unknown as JsonObject) })); // plain data by its schema
    }
    // As it is read again: a resumed analysis is the same to the byte. And a copy: a piece of a text keeps all of the text in memory.
    const line = writtenLineSchema.parse(JSON.parse(JSON.stringify(runLine(read, run.digest, detectors))));
    const { kept, written } = folder.addRun({ ...line, run: run.name, digest: run.digest }); // the texts that are in memory already
    write(written);
    lines.push(kept);
  }
  await writing; // lines are written in their order
  if (failures.length > 0) throw failures[0];
  return { lines, leftOut, bases };
}

function resultOf(id: string, runs: readonly RunFaults[], leftOut: readonly LeftOut[], issues: readonly StoredIssue[]): Analysis {
  const failed = runs.filter(({ line }) => line.passed === false);
  return {
    analysis: id,
    runs: runs.length,
    failed: failed.length,
    leftOut: leftOut.toSorted((a, b) => (a.run < b.run ? -1 : 1)),
    findings: failed.flatMap(rankedFindings),
    issues: issues.map((issue) => issueSchema.parse(issue)),
    unclassified: failed.filter(({ faults }) => faults.length === 0).map(({ line }) => line.run),
  };
}

function notesOn(lines: readonly RunLine[]): string[] {
  const judged = lines.filter(({ passed }) => passed !== null);
  const tasks = new Set(judged.map(({ task }) => task));
  const said: string[] = [];
  if (lines.length > 0 && judged.length === 0)
    said.push("No run has a verdict, so none is known to have failed: analyze runs of forge bench, or imported ones with their results.");
  else if (!judged.some(({ passed }) => passed === false))
    said.push("No run failed: there is nothing to explain. Analyze a job with failures.");
  else if (!judged.some(({ passed }) => passed === true))
    said.push("No run passed, so nothing can be contrasted: rules alone. Add runs of the same tasks that passed.");
  else if (tasks.size < 5)
    said.push(
      `${tasks.size === 1 ? "All runs are of one task" : `There are ${tasks.size} tasks`}: the contrast needs 5 of 3 families, so rules alone. Bench more tasks.`,
    );
  if (lines.length > 0 && lines.every(({ simulated }) => simulated))
    said.push(
      "Every model is simulated: faults and rules have the same author, so this shows that the machinery works, and nothing about a model. Bench a real one.",
    );
  return said;
}
