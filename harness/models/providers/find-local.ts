/** Where servers of local models listen by default: Ollama, llama.cpp, LM Studio. */
const localPorts: readonly number[] = [11434, 8080, 1234];

/**
 * The first local server, in the order of `ports`, that lists a model within 500 ms, and the first model it lists. undefined when nobody
 * answers, or only something that is no model server.
 */
export async function findLocalServer(
  fetch: (url: string, init: { signal: AbortSignal }) => Promise<Response>,
  ports: readonly number[] = localPorts,
): Promise<{ readonly baseUrl: string; readonly model: string } | undefined> {
  const asked = ports.map(async (port) => {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    try {
      const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(500) });
      if (!response.ok) return undefined;
      const list = (await response.json()) as { data?: readonly { id?: unknown }[] | null } | null; // checked below
      const model = Array.isArray(list?.data) ? (list.data[0] as { id?: unknown } | undefined)?.id : undefined;
      return typeof model === "string" && model !== "" ? { baseUrl, model } : undefined;
    } catch {
      // Nobody there, too slow, or no JSON: all the same here.
      return undefined;
    }
  });
  return (await Promise.all(asked)).find((found) => found !== undefined);
}
