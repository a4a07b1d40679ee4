import { deltasOf } from "../../../harness/models/simulated/deltas.ts";
import type { Said } from "../../../harness/models/simulated/server/wire.ts";
import type { WrittenReply } from "./gateway-wire.ts";

/** A reply as the wires of `forge sim serve` write it. */
export const saidOn = ({ model, withUsage, reply, id }: WrittenReply): Said => ({
  asked: { model, stream: true, withUsage, request: { system: [], messages: [], tools: [], params: { maxOutputTokens: 1 } } },
  reply,
  id,
  deltas: (text) => deltasOf(text, id),
});
