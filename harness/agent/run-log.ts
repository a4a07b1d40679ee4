import type { ToolCall, ToolReply } from "../contract/messages.ts";
import type { CallRecord, Intervention, RunLog, Turn } from "../contract/middleware.ts";

/** The writing side of `RunLog`: the loop appends, middleware reads. */
export interface RunLogWriter {
  readonly log: RunLog;
  turn(turn: Turn): void;
  call(turn: number, index: number, call: ToolCall): CallRecordWriter;
  intervention(intervention: Intervention): void;
}
export interface CallRecordWriter {
  executed(call: ToolCall): void;
  result(reply: ToolReply): void;
  reply(reply: ToolReply): void;
}

export function createRunLog(): RunLogWriter {
  const turns: Turn[] = [];
  const calls: CallRecord[] = [];
  const interventions: Intervention[] = [];
  return {
    log: { turns, calls, interventions },
    turn: (turn) => void turns.push(turn),
    intervention: (intervention) => void interventions.push(intervention),
    call(turn, index, call) {
      const at = calls.push({ turn, index, call, executed: undefined, result: undefined, reply: undefined }) - 1;
      const set = (change: Partial<CallRecord>): void => {
        const record = calls[at];
        if (record) calls[at] = { ...record, ...change };
      };
      return { executed: (executed) => set({ executed }), result: (result) => set({ result }), reply: (reply) => set({ reply }) };
    },
  };
}
