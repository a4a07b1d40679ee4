/**
 * What a provider refuses of a request whatever the conversation in it is, so that every further call of the configuration would be refused as well: a
 * parameter, a header, or the wire. Recognised by `error.param` where the provider fills it, else by documented words; a wrong guess would end a job for
 * one bad message, so paths into the conversation never count. Sources: developers.openai.com, "Error codes", and the bodies in openai/codex, BerriAI/litellm
 * and microsoft/vscode threads; platform.claude.com, "Errors" and "API versioning"; ollama `openai/openai.go`; Google's compatible endpoint.
 */
export interface Refused {
  /** As the provider calls it. */
  readonly name: string;
  /** A sentence: what to change in the configuration. */
  readonly cure: string;
}

/** `said` is the sentence in the body, `param` its `error.param`, `effortFrom` the place that sets the effort; undefined: nothing of the kind is named. */
export function refusedParameter(status: number | undefined, said: string, param: unknown, effortFrom?: string): Refused | undefined {
  if (status !== 400 && status !== 404 && status !== 422) return undefined;
  if (wireWords.test(said) && (param === "model" || param == null))
    return {
      name: "wire",
      cure: "Chat Completions do not serve this model: write wire: responses into its row under models, or name another model.",
    };
  const name = typeof param === "string" && param !== "" && param !== "model" ? param : nameIn(said);
  if (name === undefined || /^(messages|input|contents|prompt)\b/.test(name)) return undefined;
  return { name, cure: cureOf(name, effortFrom) };
}

const wireWords = /only supported in v1\/responses|not a chat model|not supported in the v1\/chat\/completions endpoint/i;

/** The parameter is the first group. */
const naming: readonly RegExp[] = [
  /un(?:supported|known) (?:parameter|value): ['"`]([\w.[\]-]+)['"`]/i, // OpenAI
  /unrecognized request arguments? supplied: ([\w.]+)/i, // OpenAI, Chat
  /unknown name "([\w.]+)"/i, // Google: "Unknown name "seed": Cannot find field."
  /['"`]([\w.]+)['"`] is not supported (?:for|with) this model/i, // Anthropic: "thinking.type.enabled"
  /^((?:temperature|top_p|top_k|max_tokens|thinking|output_config|tool_choice|tools|stop_sequences|metadata|system|anthropic-version)(?:\.[\w.-]+)?): /, // Anthropic
  /^([\w.-]+): extra inputs are not permitted/i, // Anthropic
  /for the `(anthropic-beta)` header/, // Anthropic
  /does not support the (effort) parameter/i, // Anthropic; anthropics/claude-code#30010
  /adaptive (thinking) is not supported/i, // Anthropic; agentforce314/clawcodex#699
  /invalid (reasoning) value/i, // Ollama
  /does not support (tools|thinking)/i, // Ollama
];
function nameIn(said: string): string | undefined {
  for (const pattern of naming) {
    const found = pattern.exec(said)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

const settings: readonly (readonly [RegExp, string])[] = [
  [/^temperature$/, "model.temperature"],
  [/^top_p$/, "model.topP"],
  [/^(max_tokens|max_completion_tokens|max_output_tokens)$/, "model.maxOutputTokens"],
  [/^(reasoning|reasoning_effort|thinking|output_config|effort)\b/, "model.effort"],
];
/** The setting of a configuration that this parameter comes from, without `model.`. */
export function settingOf(name: string): string | undefined {
  if (name === "wire") return "name";
  if (/^(tools?|functions?)\b/.test(name)) return "protocol";
  return settings.find(([pattern]) => pattern.test(name))?.[1].slice("model.".length);
}

function cureOf(name: string, effortFrom: string | undefined): string {
  if (name.startsWith("anthropic-")) return "The server has another version of the API; check model.baseUrl.";
  if (/^(tools?|functions?)\b/.test(name)) return "Set model.protocol to text, or name a model that takes tools.";
  const setting = settings.find(([pattern]) => pattern.test(name))?.[1];
  if (setting === "model.maxOutputTokens") return "Lower model.maxOutputTokens, or name another model.";
  if (setting === undefined) return `Take ${name} out of model.extra, or name a model that takes it.`;
  if (setting === "model.effort" && effortFrom !== undefined)
    return `Take model.effort out (${effortFrom}), give it a value that the model takes, or name another model.`;
  return `Take ${setting} (or ${name} in model.extra) out of the configuration and of any middleware that sets it, or name a model that takes it.`;
}
