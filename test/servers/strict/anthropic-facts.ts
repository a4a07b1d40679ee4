/**
 * What api.anthropic.com takes of each model, for the strict server. Written from the provider's pages, not from Forge's own table: a mistake there must not be
 * one here. Sources: platform.claude.com/docs, Thinking troubleshooting, Effort, Extended thinking, Context windows, and "What's new" of each model (November 2026);
 * npm @anthropic-ai/sdk 1.13.0 for what is retired. Where npm @ai-sdk/anthropic 4.0.105 takes more than these pages, the pages hold.
 */
export interface AnthropicFacts {
  /** Kinds of thinking that it takes. */
  readonly thinking: readonly string[];
  /** `disabled` goes with an effort of at most high. */
  readonly disabledUpToHigh?: true;
  /** It thinks where a request says nothing of thinking. */
  readonly thinksUnasked: boolean;
  /** Values of `output_config.effort`; empty: no such parameter. */
  readonly effort: readonly string[];
  /** `never`: no tool can be demanded. Otherwise only thinking of the kind `enabled` forbids it. */
  readonly forcedTools?: "never";
  /** An earlier history that changed is refused. */
  readonly preserved?: true;
  /** Claude 4.7 and later: other sampling than the default is refused under the older version of the API as well. */
  readonly sampling: boolean;
  /** Claude 4.6 and later: the last message is not the assistant's. */
  readonly prefill: boolean;
  /** Claude 4.7 and later: thinking comes without its text unless a summary is wanted. */
  readonly omitsThinking: boolean;
  /** Tokens. */
  readonly window: number;
  readonly output: number;
}

const large = { sampling: false, prefill: false, omitsThinking: true, window: 1_000_000, output: 128_000 } as const;
const max = ["low", "medium", "high", "xhigh", "max"] as const;
const fable5 = { ...large, thinking: ["adaptive"], thinksUnasked: true, effort: max } as const;
const newest = { ...fable5, forcedTools: "never", preserved: true } as const;
const opus5 = { ...fable5, thinking: ["adaptive", "disabled"] } as const;
const opus47 = { ...opus5, thinksUnasked: false } as const;
const claude46 = {
  ...opus47,
  thinking: ["adaptive", "enabled", "disabled"],
  effort: ["low", "medium", "high", "max"],
  sampling: true,
  omitsThinking: false,
} as const;
const claude45 = {
  thinking: ["enabled", "disabled"],
  thinksUnasked: false,
  effort: [],
  sampling: true,
  prefill: true,
  omitsThinking: false,
  window: 200_000,
  output: 64_000,
} as const;

const facts: Readonly<Record<string, AnthropicFacts>> = {
  "claude-fable-5-2": newest,
  "claude-fable-5-1": newest,
  "claude-fable-5": fable5,
  "claude-mythos-5": fable5,
  "claude-opus-5-5": newest,
  "claude-sonnet-5-5": { ...newest, thinking: ["adaptive", "between_tools"] },
  "claude-haiku-5-5": { ...opus5, disabledUpToHigh: true },
  "claude-opus-5": { ...opus5, disabledUpToHigh: true },
  "claude-sonnet-5": opus5,
  "claude-opus-4-8": opus47,
  "claude-opus-4-7": opus47,
  "claude-opus-4-6": claude46,
  "claude-sonnet-4-6": claude46,
  "claude-opus-4-5": { ...claude45, effort: ["low", "medium", "high"] },
  "claude-sonnet-4-5": claude45,
  "claude-haiku-4-5": claude45,
  // Retired on Anthropic's own API; some remain on Bedrock and Vertex with the same requests.
  "claude-opus-4-1": { ...claude45, output: 32_000 },
  "claude-opus-4": { ...claude45, output: 32_000 },
  "claude-sonnet-4": claude45,
  "claude-3-7-sonnet": claude45,
  "claude-3-5-sonnet": { ...claude45, thinking: [], output: 8_192 },
  "claude-3-5-haiku": { ...claude45, thinking: [], output: 8_192 },
};

/** undefined: no such model. A date behind the name is the same model. */
export function anthropicFacts(model: unknown): AnthropicFacts | undefined {
  const name = String(model).replace(/[-@]\d{8}$/, "");
  return Object.hasOwn(facts, name) ? facts[name] : undefined;
}
