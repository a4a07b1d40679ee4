import { tornText, type TornTail } from "../../traces/read/torn-tail.ts";
import { readSeal } from "../../traces/format/seal.ts";
import { judgeSteps, type JudgedStep } from "../../traces/replay/tools/judge-steps.ts";
import { firstOtherTree, recordedCalls, reExecute, type ReExecuted } from "../../traces/replay/tools/re-execute.ts";
import { recordedScore, workAgain } from "./judge-again.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { inTrialSandbox, type TrialPlace, type TrialSandboxOptions } from "./trial-sandbox.ts";
import { laterRuns } from "./trial-steps.ts";
import { asHere, trialTools } from "./trial-tools.ts";

export interface RepeatedTrial {
  readonly steps: readonly JudgedStep[];
  /** Calls in which the run ended, and what middleware asked: not carried out again. */
  readonly leftOut: number;
  readonly byMiddleware: number;
  /** Undefined where the recording has no hash of its final workdir. */
  readonly workspace: boolean | undefined;
  /** The first call after which the workdir held something else, where snapshots of it were recorded. */
  readonly otherTree: ReExecuted | undefined;
  /** Undefined where the recording has no verdict, or the verifier could not be asked. */
  readonly verifier: { readonly recorded: number | null; readonly again: readonly (number | null)[] } | undefined;
  readonly torn: TornTail | null;
  readonly notes: readonly string[];
}

/** L2: the recorded calls of a trial carried out again, `times` times, each in a fresh sandbox, and the work verified. */
export async function repeatTrial(
  trial: OpenedTrial,
  { times, place }: { readonly times: number; readonly place: Omit<TrialSandboxOptions, "plan" | "say" | "after"> },
): Promise<RepeatedTrial> {
  const { ports, signal } = place;
  const calls = recordedCalls(trial.events);
  const notes = new Set<string>();
  if (trial.torn) notes.add(tornText(trial.torn));
  const later = await laterRuns(trial.folder);
  if (later.length > 0) notes.add("the recorded workspace is of the last step");
  const recorded = later.length > 0 ? undefined : (readSeal(trial.folder)?.workspace ?? undefined);
  const replays: ReExecuted[][] = [];
  const expected: ((text: string) => string)[] = [];
  const same: (boolean | undefined)[] = [];
  const score = recordedScore(trial);
  const scores: (number | null)[] = [];
  const say = (line: string): void => void (line.includes("differ") && notes.add(line));
  const after = async (place: TrialPlace): Promise<void> => {
    const work = await workAgain(trial, place, { recorded, ports, signal });
    if (work.score !== undefined) scores.push(work.score);
    if (work.why !== undefined) notes.add(`the verifier did not run: ${work.why}`);
    same.push(work.sameWorkspace);
  };
  for (let time = 0; time < times; time++) {
    const warn = time > 0 ? () => undefined : place.warn; // the first time has said it
    await inTrialSandbox(trial, { ...place, say, warn, after }, async (sandbox) => {
      const here = asHere(trial, sandbox);
      replays.push(await reExecute(calls, await trialTools(trial, sandbox, ports), { signal, expected: here }));
      expected.push(here);
    });
  }
  const [first = []] = replays;
  return {
    steps: judgeSteps(replays, expected),
    otherTree: replays.map(firstOtherTree).find((step) => step !== undefined),
    leftOut: calls.length - first.length,
    byMiddleware: trial.middlewareCalls,
    workspace: recorded === undefined ? undefined : same.every(Boolean),
    verifier: score === undefined || scores.length === 0 ? undefined : { recorded: score, again: scores },
    torn: trial.torn,
    notes: [...notes],
  };
}

/** A verdict that also differs between the replays says nothing of the recording. */
export function verdictWord({ verifier }: Pick<RepeatedTrial, "verifier">): "the same" | "another" | "nondeterministic" | undefined {
  if (!verifier) return undefined;
  const { recorded, again: scores } = verifier;
  if (scores.every((score) => score === recorded)) return "the same";
  return new Set(scores).size > 1 ? "nondeterministic" : "another";
}
