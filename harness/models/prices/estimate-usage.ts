import type { AssistantMessage, ModelCall, Usage } from "../../contract/messages.ts";

/**
 * Tokens of a call whose server did not count them: four characters a token. Rough, but a limit in tokens must not be blind to a server
 * that is silent, as it would be to zeros. Nothing is priced by it.
 */
export function estimateUsage(call: ModelCall, message: AssistantMessage): Usage {
  const asked = JSON.stringify([call.system, call.messages, call.tools], withoutImages).length;
  const said = JSON.stringify(message.content).length;
  return { input: Math.ceil(asked / 4), output: Math.ceil(said / 4), cached: 0 };
}

function withoutImages(key: string, value: unknown): unknown {
  return key === "data" ? "" : value;
}
