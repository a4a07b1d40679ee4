import type { RunEvent } from "../../../harness/events/schema.ts";

/** Where a trial stands: what a person who watches wants to know of it. */
export interface TrialStep {
  /** `verify`: the agent is done, its work is being judged. */
  readonly phase: "agent" | "verify";
  /** Model calls of the main lane so far. */
  readonly turn: number;
  /** The last tool call: its name and the argument that says most, in one line of at most 200 characters; null before the first. Written by a model. */
  readonly command: string | null;
  /** Input and output so far, of all lanes. */
  readonly tokens: number;
  /** USD so far; null where one call has no known price. */
  readonly costUsd: number | null;
}

const longest = 200;

/** Follows one run: each event in, a step out where something changed that can be seen. Works on events as they come and on lines of a trace. */
export function createRunSteps(): (event: Pick<RunEvent, "t" | "lane" | "d">) => TrialStep | undefined {
  let step: TrialStep = { phase: "agent", turn: 0, command: null, tokens: 0, costUsd: 0 };
  return ({ t, lane, d }) => {
    if (t === "model.response") {
      const costUsd = typeof d["costUsd"] === "number" && step.costUsd !== null ? step.costUsd + d["costUsd"] : null;
      const turn = step.turn + (lane === "main" ? 1 : 0);
      step = { ...step, turn, tokens: step.tokens + tokensOf(d["usage"]), costUsd };
    } else if (t === "tool.call") step = { ...step, command: describeCall(d["call"]) };
    else if (t === "run.end" && lane === "main") step = { ...step, phase: "verify" };
    else return undefined;
    return step;
  };
}

function tokensOf(usage: unknown): number {
  const { input, output } = fieldsOf(usage);
  return (typeof input === "number" ? input : 0) + (typeof output === "number" ? output : 0);
}

function describeCall(call: unknown): string {
  const { name, args } = fieldsOf(call);
  const { command, path, file_path: file, pattern } = fieldsOf(args);
  const first = [command, pattern, path, file].find((value) => typeof value === "string");
  const text = first === undefined ? String(name) : `${String(name)}: ${first}`;
  return text
    .slice(0, longest * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, longest);
}

/** The fields of what may be anything: an event's data is read leniently. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
