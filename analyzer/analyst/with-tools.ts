import type { Tool } from "../../harness/tools/tool.ts";
import type { Fault } from "../detectors/find-faults.ts";
import type { Analyst } from "./analyst.ts";
import type { Question } from "./conversation.ts";
import { lookAtRun, toolsSystem } from "./prompts/with-tools.ts";
import { capped, fenced, findingLines } from "./show-run.ts";
import { runDiff } from "./tools/run-diff.ts";
import { runRead } from "./tools/run-read.ts";
import { runSearch } from "./tools/run-search.ts";
import type { Subject } from "./tools/subject.ts";
import { submitFinding } from "./tools/submit-finding.ts";
import { runOutline, verifierReport } from "./tools/whole-texts.ts";

/** Model calls in one conversation. */
const turns = 24;

/** The analyst's tools over one run in memory. Each only looks; what a model says leaves by `submit_finding` alone. To add one: a file, and its name here. */
const tools = (subject: Subject): Tool[] => [
  runOutline(subject),
  runRead(subject),
  runSearch(subject),
  runDiff(subject),
  verifierReport(subject),
  submitFinding(subject),
];

/** A conversation with tools over the run: the model reads what it wants to. */
export const toolsQuestion = (
  subject: Subject,
  faults: readonly Fault[],
  { windowTokens }: Analyst,
): Omit<Question, "key" | "costUsd"> => ({
  name: "analyst",
  system: toolsSystem,
  task: [
    lookAtRun,
    fenced(subject.run, "task", capped(subject.run.instruction, windowTokens)),
    fenced(subject.run, "findings of rules and contrast", findingLines(faults).join("\n") || "(nothing)"),
  ].join("\n\n"),
  tools: tools(subject),
  turns,
});
