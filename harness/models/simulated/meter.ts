import type { AssistantPart, Usage } from "../../agent/messages.ts";
import type { ModelRequest } from "../../agent/ports.ts";

const charsPerToken = 4;
/** USD a million tokens. Made up, so that tables and limits of cost have something to show. */
const prices = { input: 1, cached: 0.1, output: 5 };

/**
 * Tokens as a provider with a prompt cache would count them: four characters a token; what the request before this one held is cached, since
 * conversations grow at their end.
 */
export function simulatedUsage(request: ModelRequest, said: readonly AssistantPart[]): Usage {
  const fixed = size([request.system, request.tools]);
  const lastTurn = request.messages.findLastIndex((message) => message.role === "assistant");
  const sizes = request.messages.map(size);
  const total = (until: number): number => sizes.slice(0, until).reduce((sum, each) => sum + each, fixed);
  return { input: tokens(total(sizes.length)), output: tokens(size(said)), cached: lastTurn < 0 ? 0 : tokens(total(lastTurn)) };
}

export function simulatedCost({ input, cached, output }: Usage): number {
  return ((input - cached) * prices.input + cached * prices.cached + output * prices.output) / 1e6;
}

const size = (value: unknown): number => JSON.stringify(value).length;
const tokens = (chars: number): number => Math.ceil(chars / charsPerToken);
