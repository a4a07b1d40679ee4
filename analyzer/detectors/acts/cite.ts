import type { AnalyzedRun, RunReply, RunStep } from "../../runs/analyzed-run.ts";
import { citeCall, quoteOf } from "../citation.ts";

/** Where a candidate is: an event, the step it belongs to, and what is copied from it. */
export interface Place {
  readonly seq: number;
  readonly step: number;
  readonly quote: string;
}

/** The call itself. */
export const atCall = ({ step }: { readonly step: RunStep }, around?: string): Place => ({ ...citeCall(step, around), step: step.step });

/** What came back; the call where nothing did. */
export function atOutput({ step }: { readonly step: RunStep }, around?: string): Place {
  if (step.resultSeq === undefined || step.observation.trim() === "") return atCall({ step });
  return { seq: step.resultSeq, step: step.step, quote: quoteOf(step.observation, around === undefined ? {} : { around }) };
}

/** What the model said; its reason to stop where it said nothing. */
export function atReply(reply: RunReply, around?: string): Place {
  const text = reply.text.trim() === "" ? reply.thinking : reply.text;
  const quote = text.includes("\n") ? lineAround(text, around) : quoteOf(text, around === undefined ? {} : { around });
  return { seq: reply.seq, step: reply.step, quote: text.trim() === "" ? reply.stop : quote };
}

/** A reply's text may be several parts, joined by newlines: a quote stays in one line of it. */
function lineAround(text: string, around: string | undefined): string {
  const lines = text.split("\n");
  const wanted = around === undefined ? undefined : lines.find((line) => line.includes(around.split("\n")[0] ?? "") && line.length >= 20);
  const line = wanted ?? lines.find((one) => one.trim().length >= 20);
  return line === undefined ? quoteOf(text) : quoteOf(line, around === undefined ? {} : { around });
}

/** Where the run came to its end: its last reply, numbered after its last call. */
export function atEnd(run: AnalyzedRun): Place | undefined {
  const last = run.replies.at(-1);
  if (!last) return undefined;
  const step = last.steps.at(-1);
  return { ...atReply(last), step: step ? step.step : last.step };
}

/** What a run said last, where it ended by itself. */
export const finalText = (run: AnalyzedRun): string => {
  const last = run.replies.at(-1);
  return last && last.steps.length === 0 ? last.text : "";
};
