import { quoteOf } from "../citation.ts";
import type { Candidate, Detector } from "../detector.ts";
import type { AnalyzedRun, RunReply, RunStep } from "../../runs/analyzed-run.ts";

/** A reply that says "tool", "name" or "function" as a key of JSON wants to call something. */
const callLike = /\{\s*\\?"(?:tool|name|function|tool_name)\\?"\s*:\s*\\?"([\w.-]{1,40})/;

export const unreadCall: Detector = {
  name: "unread-call",
  kind: "malformed-call",
  looksAt:
    "Replies that hold a call as JSON which the protocol could not read: refused, taken for the final answer, or sent to the shell as a command.",
  provedWrongBy: "The JSON is data that the task wants to see, and the call that was meant was made in another form.",
  lever: "tool-call-repair",
  confidence: "high",
  detect(run) {
    const found = [...run.replies.flatMap((reply) => asAnswer(run, reply)), ...run.steps.flatMap(refused)].toSorted(
      (a, b) => a.seq - b.seq,
    );
    return found.slice(0, 1);
  },
};

/**
 * A reply has no call although it means one: the loop takes it for the end. Of another agent's conversation only the last reply is known to have been taken so:
 * before that its own protocol may have read it. Of other imported runs not even that is known.
 */
function asAnswer(run: AnalyzedRun, { seq, step, steps, text }: RunReply): Candidate[] {
  const meant = callLike.exec(text)?.[1];
  if (meant === undefined || steps.length > 0) return [];
  if (run.imported !== undefined && (!run.observed || run.end.type !== "done" || run.replies.at(-1)?.seq !== seq)) return [];
  return [
    {
      seq,
      step,
      quote: quoteOf(text, { around: "{" }),
      why: `It calls "${meant}" as JSON that cannot be read, so the reply counts as the final answer.`,
      mechanism: "call as JSON that cannot be read",
    },
  ];
}

function refused({ seq, step, command, unreadable, resultSeq, observation, status }: RunStep): Candidate[] {
  if (unreadable !== undefined && resultSeq !== undefined)
    return [
      { seq: resultSeq, step, quote: quoteOf(observation), why: "Its call could not be read.", mechanism: "call that cannot be read" },
    ];
  const meant = /^\s*\{/.test(command) && status !== "ok" ? callLike.exec(command)?.[1] : undefined;
  if (meant === undefined) return [];
  return [
    {
      seq,
      step,
      quote: quoteOf(command),
      why: `It sends a call of "${meant}" as JSON to the shell.`,
      mechanism: "call as JSON sent to the shell",
    },
  ];
}
