import { actsOf } from "../acts/acts-of.ts";
import { atOutput } from "../acts/cite.ts";
import { comparable, errorOf } from "../acts/outputs.ts";
import type { Detector } from "../detector.ts";

const least = 4;

export const repeatedError: Detector = {
  name: "repeated-error",
  kind: "repeated-call",
  looksAt: `The same line of error, numbers aside, from ${least} failed calls or more with at most two others between them.`,
  provedWrongBy: "Each of the calls changed something, and the error was expected until the last.",
  lever: "loop-detection",
  confidence: "low",
  detect(run) {
    const acts = actsOf(run);
    const open = new Map<string, number[]>();
    let best: { readonly line: string; readonly at: readonly number[] } | undefined;
    for (const act of acts) {
      const line = act.failed === true ? errorOf(act.output) : undefined;
      if (line === undefined) continue;
      const key = comparable(line);
      const before = open.get(key) ?? [];
      const at = act.index - (before.at(-1) ?? act.index) <= 3 ? [...before.slice(-40), act.index] : [act.index];
      open.set(key, at);
      if (at.length >= least && at.length > (best?.at.length ?? 0)) best = { line, at };
    }
    const first = best && acts[best.at[0] ?? -1];
    if (!best || !first) return [];
    const atTheEnd = acts.length - (best.at.at(-1) ?? 0) <= 2;
    const why = `${best.at.length} calls close together end with the same error.`;
    return [
      {
        ...atOutput(first, best.line),
        why,
        mechanism: `error again: ${comparable(best.line).slice(0, 60)}`,
        confidence: atTheEnd ? "high" : "low",
      },
    ];
  },
};
