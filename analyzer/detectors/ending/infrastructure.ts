import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import { objectOf, wordOf } from "../../runs/steps-of.ts";
import { atCall, atEnd } from "../acts/cite.ts";
import { actsOf } from "../acts/acts-of.ts";
import type { Candidate, Detector } from "../detector.ts";

export const infrastructure: Detector = {
  name: "infrastructure",
  kind: "infrastructure",
  looksAt:
    "How the run ended: an error of the machinery, of the service or of the harness, or a cancellation, and not by the agent or one of its limits.",
  provedWrongBy: "The work was complete when it ended, or the agent itself brought the machine down.",
  lever: "none",
  confidence: "high",
  detect: (run) => [...failedTry(run), ...brokeOff(run)].slice(0, 1),
};

/** The run ends with a try at the model that failed for good. */
function failedTry(run: AnalyzedRun): Candidate[] {
  const last = run.events.findLast(({ t, lane }) => lane === "main" && (t === "model.attempt" || t === "model.response"));
  if (last?.t !== "model.attempt" || run.end.type === "limit") return [];
  const kind = wordOf(last.d["kind"]) ?? "";
  if (kind === "context" || kind === "cut") return [];
  const quote = (wordOf(last.d["message"]) ?? "").slice(0, 160);
  return [
    { seq: last.seq, step: run.end.step, quote, why: `The model's service failed for good: ${kind}.`, mechanism: `service: ${kind}` },
  ];
}

function brokeOff(run: AnalyzedRun): Candidate[] {
  const { end } = run;
  if (end.type !== "error" && end.type !== "cancelled" && run.class !== "infra") return [];
  const outcome = objectOf(run.events.find(({ seq }) => seq === end.seq)?.d["outcome"]);
  const said = wordOf(outcome["message"]) ?? wordOf(outcome["reason"]) ?? "";
  // The loop ends a run so whose replies were empty or unreadable again; an importer calls every error so.
  if (outcome["kind"] === "agent" && run.imported === undefined) return [];
  if (end.type === "cancelled" && /deadline|not known/i.test(said)) return [];
  const last = actsOf(run).at(-1);
  const waited = /command timed out/i.test(said) && last !== undefined && last.step.observation === "";
  const place = waited ? atCall(last) : atEnd(run);
  if (!place) return [];
  const step = last?.step.step ?? place.step;
  const why = waited
    ? "One command outlasted the harness's limit for a command, and that ended the run instead of coming back as an observation."
    : `The run was ended from outside: ${said === "" ? end.type : said.slice(0, 120)}.`;
  return [
    {
      ...place,
      step,
      why,
      mechanism: waited ? "time-out of a command ends the run" : `ended: ${said.split(":")[0]?.slice(0, 40) ?? end.type}`,
    },
  ];
}
