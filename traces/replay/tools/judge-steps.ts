import { equalBy } from "./normalizers.ts";
import { textOf, type ReExecuted } from "./re-execute.ts";

/** What became of one recorded call when it was carried out again, once or several times. */
export interface JudgedStep {
  readonly step: number;
  readonly lane: string;
  readonly tool: string;
  readonly verdict: "exact" | "normalized" | "nondeterministic" | "different";
  /** The normalizers that it took, over all times. */
  readonly by: readonly string[];
  /** The first time that differed. */
  readonly example: ReExecuted;
}

/**
 * Compares each step with its recording in each of the replays. One that differs is nondeterministic where the identical replays differ from each other
 * too, beyond what normalizers level; else its difference is one between then and now.
 * @param expected for each replay, what a recorded text would be in its sandbox
 */
export function judgeSteps(replays: readonly (readonly ReExecuted[])[], expected: readonly ((text: string) => string)[]): JudgedStep[] {
  const [first = []] = replays;
  return first.map((given, i): JudgedStep => {
    const times = replays.flatMap((steps, k) => (steps[i] ? [{ step: steps[i], expected: expected[k] ?? ((text: string) => text) }] : []));
    const compared = times.map(({ step, expected: here }) => compare(step, here));
    const failed = compared.findIndex((names) => names === undefined);
    const by = [...new Set(compared.flatMap((names) => names ?? []))];
    const place = { step: given.step, lane: given.lane, tool: given.call.name };
    if (failed < 0) return { ...place, verdict: by.length > 0 ? "normalized" : "exact", by, example: given };
    const example = times[failed]?.step ?? given;
    const alike = times.every(
      ({ step }) => step.now.status === example.now.status && equalBy(textOf(step.now.content), textOf(example.now.content)),
    );
    return { ...place, verdict: alike ? "different" : "nondeterministic", by, example };
  });
}

function compare({ reply, now }: ReExecuted, expected: (text: string) => string): readonly string[] | undefined {
  if (reply?.status !== now.status) return undefined;
  return equalBy(expected(textOf(reply.content)), textOf(now.content));
}
