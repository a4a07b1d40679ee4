import type { ToolCall } from "../../harness/contract/messages.ts";

/** Waiting for something is asking the same again and again. */
export function isPolling(call: ToolCall, exempt: readonly string[]): boolean {
  const { command } = call.args;
  return exempt.includes(call.name) || (typeof command === "string" && /(?:^|[\n;&|]|\bdo)\s*(?:sleep|wait)\b/.test(command));
}
