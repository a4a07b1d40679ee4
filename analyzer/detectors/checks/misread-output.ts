import type { AnalyzedRun, RunReply } from "../../runs/analyzed-run.ts";
import { actsOf } from "../acts/acts-of.ts";
import type { Act } from "../acts/act.ts";
import { atReply } from "../acts/cite.ts";
import type { Candidate, Detector } from "../detector.ts";

const saysEmpty =
  /\b(?:the )?(?:output|result|response|listing) (?:is|was|came back|seems|appears) (?:to be )?empty\b|\b(?:there (?:is|was)|it (?:gave|printed|returned|shows)) no output\b|\bprinted nothing\b/i;
const saysPassed = /\ball (?:\d+ |the |of the )?(?:\w+ )?(?:tests|checks) (?:now )?(?:pass|passed|are passing|succeed)/i;

export const misreadOutput: Detector = {
  name: "misread-output",
  kind: "misread-output",
  looksAt: "Replies right after one call that say its output was empty where it was not, or that all tests pass where the check failed.",
  provedWrongBy: "The reply speaks of another output, or the part of the tests that it means did pass.",
  lever: "edit-feedback",
  confidence: "medium",
  detect(run) {
    const acts = new Map(actsOf(run).map((act) => [act.step.seq, act]));
    const found = run.replies.flatMap((reply, i) => {
      const [step, ...others] = run.replies[i - 1]?.steps ?? [];
      const act = step && others.length === 0 ? acts.get(step.seq) : undefined;
      return act ? misread(run, reply, act) : [];
    });
    return found.slice(0, 1);
  },
};

function misread(run: AnalyzedRun, reply: RunReply, act: Act): Candidate[] {
  const first = reply.text.slice(0, 600);
  const last = reply === run.replies.at(-1);
  const [empty] = (act.output.length >= 40 && act.failed !== true && saysEmpty.exec(first)) || [];
  if (empty !== undefined)
    return [
      {
        ...atReply(reply, empty),
        why: `It says "${empty}" of an output of ${act.output.length} characters.`,
        mechanism: "says empty where it was not",
        confidence: last ? "high" : "low",
      },
    ];
  const [passed] = (act.check?.passed === false && saysPassed.exec(first)) || [];
  if (passed === undefined) return [];
  return [
    {
      ...atReply(reply, passed),
      why: `It says "${passed}" right after a check that failed.`,
      mechanism: "says passed where it failed",
      confidence: last && run.imported === undefined ? "high" : "low",
    },
  ];
}
