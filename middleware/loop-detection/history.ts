import { resultOf, type ToolCall, type ToolReply } from "../../harness/contract/messages.ts";
import type { CallRecord, RunLog } from "../../harness/contract/middleware.ts";
import { editedPaths } from "../edited-paths.ts";
import type { Signatures } from "./call-signature.ts";
import { once } from "./once.ts";

/** A call that the registry answered. */
export interface Executed {
  readonly signature: string;
  readonly reply: ToolReply;
  /** The reply's signature. */
  readonly answer: string;
  readonly failed: boolean;
  readonly edited: readonly string[];
}

/**
 * The records up to this call's own, by its place in the log and not by what has come back already: of calls made side by side each sees
 * the same past, however fast the others are.
 */
export function recordsBefore(log: RunLog, call: ToolCall, itself?: "and itself"): readonly CallRecord[] {
  const own = log.calls.findLastIndex((record) => record.call.id === call.id && record.reply === undefined);
  return own < 0 ? log.calls : log.calls.slice(0, itself ? own + 1 : own);
}

/** What was executed since the last passing check, that check and everything before it left out. */
export type ExecutedSinceCheck = (records: readonly CallRecord[]) => Executed[];
export function createHistory({ call: signatureOf, reply: answerOf, failed }: Signatures): ExecutedSinceCheck {
  const executed = once((record: CallRecord): readonly Executed[] => {
    const { result: reply, call } = record;
    if (!reply) return [];
    return [{ signature: signatureOf(call), reply, answer: answerOf(reply), failed: failed(reply), edited: editedPaths(record) }];
  });
  return (records) => {
    const passed = records.findLastIndex(({ result }) => result?.effects.check && resultOf(result.effects.check) === "passed");
    return records.slice(passed + 1).flatMap(executed);
  };
}

/** How often this call was refused since it, or one like it, was last executed. */
export function refusalsInARow(records: readonly CallRecord[], signature: string, signatureOf: Signatures["call"]): number {
  const same = records.filter((record) => signatureOf(record.call) === signature);
  const executed = same.findLastIndex((record) => record.executed !== undefined);
  return same.length - 1 - executed;
}
