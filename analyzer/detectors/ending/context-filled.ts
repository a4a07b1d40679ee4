import { actsOf } from "../acts/acts-of.ts";
import { atCall } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

/** Characters; about five thousand tokens. */
const large = 20_000;

export const contextFilled: Detector = {
  name: "context-filled",
  kind: "out-of-budget",
  looksAt: "Runs that ended because the conversation no longer fit into the model's context, and the large outputs that filled it.",
  provedWrongBy: "Most of the conversation is the model's own text, or one output of a size that could not be foreseen.",
  lever: "output-budget",
  confidence: "high",
  detect(run) {
    const full =
      run.end.limit === "context" ||
      run.events.some(({ t, d, lane }) => t === "model.attempt" && lane === "main" && d["kind"] === "context");
    if (!full || run.end.type === "done") return [];
    const big = actsOf(run).filter(({ step }) => step.observation.length >= large);
    // the last row of them without a pause
    const first = big.findLast((act, i) => big[i - 1]?.index !== act.index - 1);
    if (!first) return [];
    const chars = big.reduce((sum, { step }) => sum + step.observation.length, 0);
    const why = `${big.length} outputs with ${Math.round(chars / 1000)},000 characters filled the conversation until it no longer fit.`;
    return [{ ...atCall(first), why, mechanism: "outputs that fill the context" }];
  },
};
