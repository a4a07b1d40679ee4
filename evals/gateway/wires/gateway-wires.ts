import type { AgentWireName } from "../../../harness/contract/resolved-config.ts";
import { chatWire } from "./chat-wire.ts";
import type { GatewayWire } from "./gateway-wire.ts";
import { messagesWire } from "./messages-wire.ts";
import { responsesWire } from "./responses-wire.ts";

export const gatewayWires: Readonly<Record<AgentWireName, GatewayWire>> = {
  "openai-chat": chatWire,
  "anthropic-messages": messagesWire,
  "openai-responses": responsesWire,
};
