import type { Fault } from "../detectors/find-faults.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";
import type { Analyst } from "./analyst.ts";
import { answerSchema, schemaOf } from "./claims.ts";
import type { Question } from "./conversation.ts";
import { answerNow, oneCallSystem } from "./prompts/one-call.ts";
import { foldRun } from "./show-run.ts";

/** All of a run in one message, for a model that calls no tools. */
export const oneCallQuestion = (
  run: AnalyzedRun,
  faults: readonly Fault[],
  { windowTokens }: Analyst,
): Omit<Question, "key" | "costUsd"> => ({
  name: "analyst-one-call",
  system: oneCallSystem,
  task: `${foldRun(run, faults, { windowTokens, beside: oneCallSystem })}\n\n${answerNow}`,
  tools: [],
  schema: schemaOf(answerSchema),
  turns: 2,
});
