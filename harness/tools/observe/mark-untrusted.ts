const tag = "tool_output";

/** What a chat template or a text protocol would take for structure: its special tokens, and the tag below. */
const structure =
  /<(?=\s{0,8}\/?\s{0,8}(?:tool_output|tool_result|tool_call|tool_response|function_result|system-reminder)|\|[a-z_]{1,40}\|>)/gi;

/**
 * Wraps what came from the world, so that the model can tell it from the harness's own words. Text inside that would close the wrapping or
 * pass for a message of the protocol is made harmless by a backslash after its `<`.
 */
export function markUntrusted(text: string): string {
  const harmless = neutralise(text);
  return `<${tag}>\n${harmless}${harmless.endsWith("\n") ? "" : "\n"}</${tag}>`;
}

export function neutralise(text: string): string {
  return text.replace(structure, "<\\");
}

/** The text before `neutralise`: a model that copies what it was shown means the original. */
export function restore(text: string): string {
  return text.replace(/<\\(?=\s{0,8}\/?\s{0,8}[a-z]|\|)/gi, "<");
}
