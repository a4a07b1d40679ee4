import { InfraError, messageOf } from "../errors.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { ToolCall, ToolMessage, ToolReply } from "../contract/messages.ts";
import { toolOnion } from "./phases.ts";
import type { RunState } from "./run-state.ts";
import { spawnSubagent } from "./spawn.ts";
import type { AgentInput } from "../contract/run-result.ts";

/**
 * Carries out the calls of one reply. Three rules make what middleware sees independent of which call was faster:
 * onion i starts when onion i−1 has reached its core or returned; executions overlap; and a result is released to its onion
 * only when every onion has started and onion i−1 has returned. All settle before the first failure is thrown.
 */
export async function callTools(state: RunState, turn: number, calls: readonly ToolCall[]): Promise<ToolMessage[]> {
  const started = calls.map(() => gate());
  const executed = calls.map(() => gate());
  const returned = calls.map(() => gate());
  const allStarted = Promise.all(started.map((one) => one.opened));

  const one = async (call: ToolCall, i: number): Promise<ToolMessage> => {
    const lane = `${state.lane}/${turn}.${i + 1}`;
    const record = state.log.call(turn, i + 1, call);
    const earlier = Promise.all(executed.slice(0, i).map((before) => before.opened)).then(() => undefined);
    const readOnly = calls.slice(0, i).every((before) => state.shared.ports.tools.readOnly(before.name));
    let recorded: Executed | undefined;

    const core = async (sent: ToolCall): Promise<ToolReply> => {
      record.executed(sent);
      const execution = execute(state, lane, { turn, index: i + 1, call: deepFreeze(sent) }, earlier, readOnly);
      started[i]?.open();
      try {
        recorded = await execution;
        return recorded.reply;
      } finally {
        executed[i]?.open();
        await allStarted;
        await returned[i - 1]?.opened;
        if (recorded) {
          record.result(recorded.reply);
          state.account.active(recorded.activeMs);
        }
      }
    };
    try {
      await started[i - 1]?.opened;
      const reply = deepFreeze(await toolOnion(state, lane, core)(call));
      record.reply(reply);
      const message: ToolMessage = { role: "tool", callId: call.id, name: call.name, status: reply.status, content: reply.content };
      const result = recorded?.reply;
      if (recorded && result?.content === reply.content && result.status === reply.status && recorded.sent === call) {
        state.shared.requests.cameFrom(message, recorded.ref);
      }
      return message;
    } finally {
      for (const passed of [started[i], executed[i], returned[i]]) passed?.open();
    }
  };

  const settled = await Promise.allSettled(calls.map(one));
  return settled.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** Apart from all that a replay compares, so that a run with snapshots has the same digests in every other lane as one without. */
export const snapshotLane = "fs";

interface Executed {
  readonly sent: ToolCall;
  readonly reply: ToolReply;
  readonly activeMs: number;
  readonly ref: string;
}

/** The recorded boundary: the call as the registry gets it, and what it answered. */
async function execute(
  state: RunState,
  lane: string,
  d: { turn: number; index: number; call: ToolCall },
  earlier: Promise<void>,
  earlierReadOnly: boolean,
): Promise<Executed> {
  const { ports, emitter, signal } = state.shared;
  const { call, turn } = d;
  const ref = emitter.emit("tool.call", lane, d);
  const asked = ports.tools.call(call, {
    lane,
    turn,
    signal,
    earlier,
    earlierReadOnly,
    emit: (type, data) => void emitter.emit(type, lane, data),
    spawn: async (input) => {
      const result = await spawnSubagent(state, lane, input as unknown as AgentInput); // the agent tool's schema is AgentInput
      return { ...result } as never; // RunResult is plain JSON
    },
  });
  const { activeMs, snapshot, ...reply } = await asked.catch((error: unknown) => {
    // a tool that breaks is the machinery's fault, not that of the middleware its call passes through
    if (signal.aborted) throw signal.reason;
    throw error instanceof InfraError ? error : new InfraError(messageOf(error));
  });
  const result = emitter.emit("tool.result", lane, { callId: call.id, name: call.name, reply, activeMs }, [ref]);
  if (snapshot) emitter.emit(snapshot.t, snapshotLane, snapshot.d, [result]);
  return { sent: call, reply: deepFreeze(reply), activeMs, ref: result };
}

/** A door that opens once and stays open. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
