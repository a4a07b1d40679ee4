import type { Kind, Lever } from "../contract.ts";
import { quoteOf } from "../detectors/citation.ts";
import type { AnalyzedRun, RunReply } from "../runs/analyzed-run.ts";

/** Where a run shows a feature. */
export interface FeaturePlace {
  readonly seq: number;
  readonly step: number;
  readonly quote: string;
  readonly why: string;
  /** Of several forms that the feature may take, this run's. */
  readonly form: string;
}

/** Something that a run's first turns have or lack, fixed before any outcome is seen. */
export interface Feature {
  readonly name: string;
  readonly title: string;
  readonly kind: Kind;
  readonly lever: Lever;
  /** Undefined: the run does not show it. */
  find(run: AnalyzedRun): FeaturePlace | undefined;
}

const block = /```json\s*(\{[\s\S]*?)(?:```|$)/;

const firstReplyJson: Feature = {
  name: "first-reply-json-call",
  title: "First reply has a JSON call block",
  kind: "malformed-call",
  lever: "tool-call-repair",
  find(run) {
    const [first] = run.replies;
    if (!first) return undefined;
    const found = block.exec(first.text);
    if (!found?.[1]) return undefined;
    const { seq, step } = first;
    return {
      seq,
      step,
      quote: quoteOf(first.text, { around: found[1].slice(0, 40) }),
      why: "Its first reply is a call as JSON.",
      form: formOf(first),
    };
  },
};

/** What became of it, so that those that differ are counted apart. */
function formOf({ steps: [call] }: RunReply): string {
  if (!call || call.unreadable !== undefined) return "cannot be parsed";
  if (call.error === "unknown_tool") return "names a tool that does not exist";
  return call.tool === "bash" ? "cannot be parsed" : `calls ${call.tool}`;
}

export const features: readonly Feature[] = [firstReplyJson];
