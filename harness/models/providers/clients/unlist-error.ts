/**
 * `fetch` whose error bodies are no lists: Google's compatible endpoint sends `[{"error": …}]`, in which OpenAI's SDK finds no error and so loses the
 * server's words. Source: ai.google.dev/gemini-api/docs/openai; discuss.ai.google.dev/t/109823.
 */
export const unlistError =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (response.ok || response.headers.get("content-type")?.includes("json") !== true) return response;
    const { status, statusText, headers } = response;
    const text = await response.text();
    return new Response(firstOf(text), { status, statusText, headers });
  };

function firstOf(text: string): string {
  if (!text.trimStart().startsWith("[")) return text;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.length > 0 ? JSON.stringify(list[0]) : text;
  } catch {
    return text; // no JSON after all
  }
}
