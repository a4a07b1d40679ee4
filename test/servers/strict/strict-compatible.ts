import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import type { StrictProvider } from "../strict-server.ts";

/** Servers that speak OpenAI's chat completions, and what each of them refuses or leaves out, with its source. */

/** vllm-project/vllm@002032e `vllm/entrypoints/openai/chat_completion/protocol.py`; the words: vllm-project/vllm#40311. */
export const strictVllm: StrictProvider = {
  refuse({ body }) {
    const tools = body["tools"];
    const refused = (message: string): ScriptedStatus => ({
      status: 400,
      body: { error: { message, type: "BadRequestError", param: null, code: 400 } },
    });
    if (Array.isArray(tools) && tools.length === 0)
      return refused("`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.");
    if (tools === undefined && body["tool_choice"] !== undefined) return refused("When using `tool_choice`, `tools` must be set.");
    const effort = body["reasoning_effort"];
    const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
    if (effort !== undefined && !efforts.includes(String(effort))) return refused(`Input should be ${efforts.join(", ")}`);
    return undefined;
  },
};

/**
 * ollama/ollama@fb30760 `openai/openai.go`, `docs/api/openai-compatibility.mdx`: `max_completion_tokens` is no field of its request, so a limit under that name
 * is lost. The words: `server/routes.go`.
 */
export const strictOllama = (thinks: boolean): StrictProvider => ({
  refuse({ body }) {
    const refused = (message: string): ScriptedStatus => ({
      status: 400,
      body: { error: { message, type: "invalid_request_error", param: null, code: null } },
    });
    const effort = body["reasoning_effort"];
    if (effort === undefined) return undefined;
    if (!["none", "minimal", "low", "medium", "high", "xhigh", "max"].includes(String(effort)))
      return refused(`invalid reasoning value: '${String(effort)}'`);
    return thinks || effort === "none" ? undefined : refused(`"${String(body["model"])}" does not support thinking`);
  },
});

/** ggml-org/llama.cpp `tools/server/README.md`, `server-common.cpp`. A token is four characters here. */
export const strictLlamaCpp = (n_ctx: number): StrictProvider => ({
  refuse(request) {
    const n_prompt_tokens = promptTokens(request);
    if (n_prompt_tokens <= n_ctx) return undefined;
    const message = `the request exceeds the available context size. try increasing the context size or enable context shift`;
    return { status: 400, body: { error: { code: 400, message, type: "exceed_context_size_error", n_prompt_tokens, n_ctx } } };
  },
});

/** lmstudio-ai/docs@c6854fb; the words: npm @earendil-works/pi-ai 1.5.2 `dist/utils/overflow.js`. */
export const strictLmStudio = (context: number): StrictProvider => ({
  refuse(request) {
    if (promptTokens(request) <= context) return undefined;
    const words =
      "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input";
    return { status: 400, body: { error: words } };
  },
});

/**
 * openrouter.ai/docs/api/reference/errors-and-debugging: what fails after the first token is an event of a stream that began with 200.
 * openrouter.ai/docs/use-cases/reasoning-tokens: `reasoning_details` are returned as they came.
 */
export function strictOpenRouter(o: { readonly failAfterText?: { readonly code: number; readonly message: string } } = {}): StrictProvider {
  const details = JSON.stringify([{ type: "reasoning.encrypted", data: "c2VjcmV0", id: "rd_1", format: "anthropic-claude-v1", index: 0 }]);
  let failures = o.failAfterText === undefined ? 0 : 1;
  return {
    refuse({ body }) {
      const messages = body["messages"] as { role: string; reasoning_details?: unknown }[]; // a client sends anything
      const altered = messages.some(({ role, reasoning_details }) => role === "assistant" && JSON.stringify(reasoning_details) !== details);
      return altered
        ? { status: 400, body: { error: { code: 400, message: "Provider returned error: reasoning blocks must be returned unmodified" } } }
        : undefined;
    },
    async answer(request, ask) {
      const response = await ask(request);
      const [first = "", ...rest] = (await response.text()).split("\n\n");
      const chunk = JSON.parse(first.replace(/^data: /, "")) as { choices: [{ delta: object }] }; // written by this repository's own wire
      chunk.choices[0].delta = { ...chunk.choices[0].delta, reasoning_details: JSON.parse(details) as unknown };
      const events = [`data: ${JSON.stringify(chunk)}`, ...rest];
      if (failures-- <= 0) return new Response(events.join("\n\n"), { headers: response.headers });
      const failed = {
        id: "gen-1",
        object: "chat.completion.chunk",
        error: o.failAfterText,
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      };
      return new Response([...events.slice(0, 2), `data: ${JSON.stringify(failed)}`, ""].join("\n\n"), { headers: response.headers });
    },
  };
}

const promptTokens = ({ body }: ReceivedRequest): number => Math.ceil(JSON.stringify(body["messages"]).length / 4);
