import { randomUUID } from "node:crypto";
import { ForgeError } from "../../harness/errors.ts";
import type { BlastRadius } from "../../traces/replay/dry/blast-radius.ts";
import { blastRows } from "../content/blast-rows.ts";
import type { BlastAnswer } from "./api.ts";
import type { Places } from "./places.ts";
import { sentence } from "./sentence.ts";

/** What another configuration would have done in all runs of some absolute folders. Throws a ForgeError where it cannot be asked, and the abort reason. */
export type AskDry = (
  config: string,
  folders: readonly string[],
  o: { readonly onRun: () => void; readonly signal: AbortSignal },
) => Promise<{ readonly result: BlastRadius; readonly leftOut: readonly { readonly reason: string; readonly runs: number }[] }>;

/** Blast radii that were asked for from a page: one at a time, since each takes a processor. */
export interface BlastAsker {
  ask(config: string, folders: readonly string[]): BlastAnswer;
  /** Undefined for one that is not known any more. */
  of(id: string): BlastAnswer | undefined;
  stop(): void;
}

/** @param places what runs are called in the answer */
export function createBlastAsker(dry: AskDry, places: Pick<Places, "of">): BlastAsker {
  let last: { answer: BlastAnswer; readonly end: AbortController } | undefined;
  const stop = (): void => last?.end.abort(new Error("another request replaced it"));
  return {
    ask(config, folders) {
      stop();
      const id = randomUUID();
      const own = { answer: { id, state: "running", config, asked: 0, says: "", result: null } as BlastAnswer, end: new AbortController() };
      last = own;
      const onRun = (): void => void (own.answer = { ...own.answer, asked: own.answer.asked + 1 });
      dry(config, folders, { onRun, signal: own.end.signal }).then(
        ({ result, leftOut }) =>
          (own.answer = {
            ...own.answer,
            state: "done",
            result: blastRows({ ...result, telling: result.telling.map((one) => ({ ...one, run: places.of(one.run) })) }, leftOut),
          }),
        (error: unknown) => {
          const says = error instanceof ForgeError ? sentence(error) : `It ended without a result: ${sentence(error)}`;
          own.answer = { ...own.answer, ...(own.end.signal.aborted ? { state: "stopped" as const } : { state: "failed" as const, says }) };
        },
      );
      return own.answer;
    },
    of: (id) => (last?.answer.id === id ? last.answer : undefined),
    stop,
  };
}
