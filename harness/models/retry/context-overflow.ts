/**
 * What servers say when a conversation does not fit. The shared words are few, so each wording is listed with who says it; a wrong guess
 * would end a run as "context full" that was merely invalid.
 */
const wordings: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic: "prompt is too long: 212000 tokens > 200000 maximum"
  /exceeds? (the )?context (limit|window)/i, // Anthropic: "input length and `max_tokens` exceed context limit"
  /context_length_exceeded/i, // OpenAI's code
  /maximum context length/i, // OpenAI, vLLM, OpenRouter: "maximum context length is 8192 tokens"; Ollama: "exceeds maximum context length"
  /exceed_context_size/i, // llama.cpp's error type
  /exceeds the available context size/i, // llama.cpp's message
  /exceeds the context (length|size)/i, // Ollama, llama.cpp
  /longer than the maximum model length/i, // vLLM: "decoder prompt (length 9000) is longer than the maximum model length of 8192"
  /too long to fit into the model/i, // vLLM
  /context (length|window) of (only )?\d+ tokens/i, // LM Studio
  /exceeds the maximum number of tokens allowed/i, // Google's compatible endpoint
  /request_too_large/i, // Anthropic, 413
];

/** Whether a server's error text says that the conversation does not fit into the model's context. */
export function saysContextOverflow(text: string): boolean {
  return wordings.some((wording) => wording.test(text));
}
