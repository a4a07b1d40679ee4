import { z } from "zod";
import { findingSchema } from "../contract.ts";
import { contrastRowSchema } from "../contrast/contrast-row.ts";
import { makeRow } from "../contrast/make-row.ts";
import type { Detector } from "../detectors/detector.ts";
import { findFaults } from "../detectors/find-faults.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";

/** A finding before it is ranked. */
export const faultSchema = findingSchema.omit({ rank: true }).extend({ mechanism: z.string() });

/** What an analysis writes of a run: enough for contrast, clusters and proposals. */
export const writtenLineSchema = z.strictObject({
  t: z.literal("run"),
  run: z.string(),
  digest: z.string(),
  task: z.string(),
  family: z.string(),
  configuration: z.string(),
  /** Harness hash; empty where it is not known. */
  hash: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  /** Null: no verdict. */
  passed: z.boolean().nullable(),
  imported: z.string().nullable(),
  turns: z.int(),
  protocol: z.string(),
  tools: z.array(z.string()),
  middleware: z.array(z.string()),
  /** Tools of which a call came back well. */
  used: z.array(z.string()),
  /** Names of files that it changed, for the leak check. */
  files: z.array(z.string()),
  /** The surest first. */
  faults: z.array(faultSchema),
  /** Candidates that were dropped because their citation does not hold, by detector. */
  uncited: z.array(z.string()),
  /** What the contrast compares; null: it cannot be compared. */
  row: contrastRowSchema.nullable(),
});
export type WrittenLine = z.infer<typeof writtenLineSchema>;

/** What of it stays in memory, small, so that many thousand fit: what the contrast compares is read again, cell by cell, and what the leak check needs in its time. */
export type RunLine = Omit<WrittenLine, "row" | "files" | "uncited">;

/** Keeps lines, and texts and lists that many of them have once: reading JSON makes each again. */
export function createLineKeeper(): (line: WrittenLine) => RunLine {
  const texts = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const one = <T extends string>(text: T): T => kept(texts, text, text) as T; // an equal one
  const all = (list: string[]): string[] => kept(lists, JSON.stringify(list), list.map(one));
  return ({ row: _, files: __, uncited: ___, ...line }) => ({
    ...line,
    task: one(line.task),
    family: one(line.family),
    configuration: one(line.configuration),
    hash: one(line.hash),
    model: one(line.model),
    protocol: one(line.protocol),
    tools: all(line.tools),
    middleware: all(line.middleware),
    used: all(line.used),
    faults: line.faults.map((fault) => ({
      ...fault,
      run: line.run,
      kind: one(fault.kind),
      class: one(fault.class),
      detector: one(fault.detector),
      why: one(fault.why),
      source: one(fault.source),
      confidence: one(fault.confidence),
      mechanism: one(fault.mechanism),
    })),
  });
}

function kept<T>(known: Map<string, T>, key: string, value: T): T {
  const before = known.get(key);
  if (before === undefined) known.set(key, value);
  return before ?? value;
}

const mostFiles = 40;

/** What is kept of a run. */
export function runLine(run: AnalyzedRun, digest: string, detectors: readonly Detector[]): WrittenLine {
  const { faults, uncited } = findFaults(run, detectors);
  const files = new Set(run.steps.flatMap(({ edited }) => edited ?? []).map((path) => path.split("/").at(-1) ?? path));
  return {
    t: "run",
    run: run.name,
    digest,
    task: run.task,
    family: run.family ?? run.task,
    configuration: run.configuration,
    hash: run.setup.hash,
    model: run.model,
    simulated: run.simulated,
    passed: run.passed ?? null,
    imported: run.imported ?? null,
    turns: run.replies.length,
    protocol: run.setup.protocol,
    tools: [...run.setup.tools],
    middleware: [...run.setup.middleware],
    used: [...new Set(run.steps.filter(({ status }) => status === "ok").map(({ tool }) => tool))].toSorted(),
    files: [...files].toSorted().slice(0, mostFiles),
    faults: [...faults],
    uncited: [...uncited],
    row: makeRow(run) ?? null,
  };
}
