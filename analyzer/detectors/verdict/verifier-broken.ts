import { wordOf } from "../../runs/steps-of.ts";
import type { Detector } from "../detector.ts";

export const verifierBroken: Detector = {
  name: "verifier-broken",
  kind: "test-fault",
  looksAt: "Verdicts without a reward, and the verifier's reason for it.",
  provedWrongBy: "The work itself kept the verifier from running.",
  lever: "none",
  confidence: "high",
  detect(run) {
    const verdict = run.events.find(({ seq, t }) => seq === run.verdictSeq && t === "verifier.result");
    const why = wordOf(verdict?.d["why"]);
    if (!verdict || why === undefined || why === "" || run.passed === true || run.class === "agent") return [];
    return [
      { seq: verdict.seq, step: run.end.step, quote: why.slice(0, 160), why: "The verifier gave no verdict.", mechanism: "no verdict" },
    ];
  },
};
