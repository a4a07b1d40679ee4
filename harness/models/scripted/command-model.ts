import type { Model } from "../../contract/ports.ts";
import { timerMs } from "../../timer-ms.ts";
import { createScriptedModel } from "./scripted-model.ts";

/**
 * An agent that makes one bash call and is done: the oracle, or a wrong solution that must fail.
 * @param o.timeoutMs what the call gets; the bash tool must allow as much.
 */
export function createCommandModel(o: { name: string; command: string; timeoutMs: number }): Model {
  const call = { name: "bash", args: { command: o.command, timeoutMs: timerMs(o.timeoutMs) } };
  return createScriptedModel([{ text: "I run the command.", calls: [call] }, { text: "The command has run." }], { name: o.name });
}
