import type { Detector } from "../detector.ts";
import { quoteOf } from "../citation.ts";

export const unknownTool: Detector = {
  name: "unknown-tool",
  kind: "malformed-call",
  looksAt: "Calls that the registry refused because no tool has that name.",
  provedWrongBy: "The tools that the run was given include the name, or the run's later calls do the same work with a tool that exists.",
  lever: "tool-call-repair",
  confidence: "high",
  detect(run) {
    const step = run.steps.find(({ error }) => error === "unknown_tool");
    if (step?.resultSeq === undefined) return [];
    // a single slip that the next calls make good loses nothing
    const last = run.steps.at(-1);
    const recovered = run.steps.some(({ seq, status }) => seq > step.seq && status === "ok");
    return [
      {
        seq: step.resultSeq,
        step: step.step,
        quote: quoteOf(step.observation),
        why: `It calls a tool "${step.tool}", which does not exist.`,
        mechanism: `no such tool: ${step.tool}`,
        confidence: recovered && last?.error !== "unknown_tool" ? "low" : "high",
      },
    ];
  },
};
