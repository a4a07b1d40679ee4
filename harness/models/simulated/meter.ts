import type { AssistantPart, Message, Usage } from "../../contract/messages.ts";
import type { ModelRequest } from "../../contract/ports.ts";
import type { Profile } from "./profiles.ts";

const charsPerToken = 4;

/**
 * USD a million tokens, and how fast: milliseconds to the first token, for each token read and for each one written, at best and at worst. Made up, `provider` of the
 * size that hosted models have in 2026, so that tables and limits of cost and time have something to show.
 */
const paces = {
  quick: { input: 1, cached: 0.1, output: 5, firstMs: [20, 50], readMs: 0, writeMs: [2, 2], cacheFrom: 0, cacheStep: 1 },
  provider: { input: 3, cached: 0.3, output: 15, firstMs: [350, 1_400], readMs: 0.15, writeMs: [10, 18], cacheFrom: 1_024, cacheStep: 128 },
} as const;
type Pace = Profile["pace"];

/**
 * Tokens as a provider with a prompt cache would count them: four characters a token; what the request before this one held is cached, since
 * conversations grow at their end; providers keep whole blocks, and no short prompt. What was thought earlier is not sent again, and not counted.
 */
export function simulatedUsage(
  request: ModelRequest,
  said: readonly AssistantPart[],
  o: { readonly pace: Pace; readonly thinkingTokens?: number },
): Usage {
  const fixed = size([request.system, request.tools]);
  const lastTurn = request.messages.findLastIndex((message) => message.role === "assistant");
  const sizes = request.messages.map((message) => size(withoutThinking(message)));
  const total = (until: number): number => sizes.slice(0, until).reduce((sum, each) => sum + each, fixed);
  const output = tokens(size(said.filter((part) => part.type !== "thinking"))) + (o.thinkingTokens ?? 0);
  const held = lastTurn < 0 ? 0 : tokens(total(lastTurn));
  const { cacheFrom, cacheStep } = paces[o.pace];
  const cached = held < cacheFrom ? 0 : Math.floor(held / cacheStep) * cacheStep;
  return { input: tokens(total(sizes.length)), output, cached };
}

export function simulatedCost({ input, cached, output }: Usage, pace: Pace): number {
  const price = paces[pace];
  return ((input - cached) * price.input + cached * price.cached + output * price.output) / 1e6;
}

/** Milliseconds that the reply takes. `luck` and `load` are in [0, 1): how soon it begins, and how fast it is written. */
export function simulatedMs({ input, cached, output }: Usage, pace: Pace, { luck, load }: { luck: number; load: number }): number {
  const { firstMs, readMs, writeMs } = paces[pace];
  const between = ([best, worst]: readonly [number, number], at: number): number => best + (worst - best) * at;
  return Math.floor(between(firstMs, luck) + readMs * (input - cached) + between(writeMs, load) * output);
}

function withoutThinking(message: Message): Message {
  if (message.role !== "assistant" || !message.content.some((part) => part.type === "thinking")) return message;
  return { ...message, content: message.content.filter((part) => part.type !== "thinking") };
}

const size = (value: unknown): number => JSON.stringify(value).length;
const tokens = (chars: number): number => Math.ceil(chars / charsPerToken);
/** Characters in so many tokens. */
export const charsOf = (count: number): number => count * charsPerToken;
