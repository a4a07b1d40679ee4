import { createHash } from "node:crypto";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { type Speaker, startStrictServer, type StrictProvider, type StrictServer } from "../strict-server.ts";

/** Refuses what Google's OpenAI-compatible endpoint refuses, and streams calls as it does. Its base URL ends in `/v1beta/openai`. */
export function startStrictGemini(speaker: Speaker): Promise<StrictServer> {
  const { refuse, answer } = strictGemini();
  return startStrictServer(refuse, speaker, answer);
}

export function strictGemini(): StrictProvider {
  const issued = new Set<string>();
  return {
    refuse: (request) => geminiRefusal(request, issued),
    async answer(request, ask) {
      const response = await ask({ ...request, path: "/v1/chat/completions" });
      if (!response.ok) return response;
      return new Response(asGoogleStreams(await response.text(), issued), { headers: response.headers });
    },
  };
}

/** Vali-98/ChatterUI#227, MinLL/SkyrimNet-GamePlugin#77, leookun/cursor-byok#112. */
const unknownNames = ["seed", "frequency_penalty", "presence_penalty", "top_k", "reasoning", "prompt_cache_key", "logit_bias"];

/** @param issued signatures that this server has given */
function geminiRefusal({ path, headers, body }: ReceivedRequest, issued: ReadonlySet<string>): ScriptedStatus | undefined {
  // ai.google.dev/gemini-api/docs/openai: the base URL, and the key as a bearer token.
  if (path !== "/v1beta/openai/chat/completions") return refused(404, `Requested entity was not found: ${path}`, "NOT_FOUND");
  if (headers.authorization === "Bearer wrong") return refused(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT");
  const unknown = unknownNames.find((name) => body[name] !== undefined);
  if (unknown !== undefined)
    return refused(400, `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`, "INVALID_ARGUMENT");
  // ai.google.dev/gemini-api/docs/openai, "Thinking": minimal to high; none on 2.5 Flash alone.
  const model = String(body["model"]);
  const effort = body["reasoning_effort"];
  const efforts = ["minimal", "low", "medium", "high", ...(model === "gemini-2.5-flash" ? ["none"] : [])];
  if (effort !== undefined && (typeof effort !== "string" || !efforts.includes(effort)))
    return refused(400, `Invalid value at 'reasoning_effort': ${JSON.stringify(effort)}`, "INVALID_ARGUMENT");
  if (effort === "minimal" && /3\.[78]-flash/.test(model))
    return refused(400, "Thinking level MINIMAL is not supported for this model.", "INVALID_ARGUMENT");
  return /gemini-[34]/.test(model) ? unsigned(body["messages"], issued) : undefined;
}

interface SentMessage {
  readonly role: string;
  readonly tool_calls?: readonly SentCall[];
}
interface SentCall {
  readonly function: { readonly name: string };
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}

/**
 * ai.google.dev/gemini-api/docs/thought-signatures: within the current turn, the first call of each step has the signature that came with it. The words:
 * 0xsline/OpenChatCut#6, TokenRhythm/opensquilla#225.
 */
function unsigned(sent: unknown, issued: ReadonlySet<string>): ScriptedStatus | undefined {
  const messages = sent as readonly SentMessage[]; // a client sends anything
  const turn = messages.findLastIndex(({ role }) => role === "user");
  for (const [at, { tool_calls: calls }] of messages.entries()) {
    const first = calls?.[0];
    if (at < turn || first === undefined) continue;
    const signature = first.extra_content?.google?.thought_signature;
    if (signature !== undefined && issued.has(signature)) continue;
    const words = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.function.name}\` , position ${at + 1}.`;
    return refused(400, words, "INVALID_ARGUMENT");
  }
  return undefined;
}

/** The body is a list: ai.google.dev/gemini-api/docs/openai by way of discuss.ai.google.dev/t/109823. */
const refused = (code: number, message: string, status: string): ScriptedStatus => ({
  status: code,
  body: [{ error: { code, message, status } }],
});

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly tool_calls?: readonly Piece[] }; readonly finish_reason: string | null }[];
}
interface Piece {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments?: string };
}

/**
 * Each call comes whole, all of them under index 0, the first with a signature, and the end is `stop`. Sources: BerriAI/litellm#11999, open-webui/computer#224,
 * su-kaka/gcli2api#406; ai.google.dev/gemini-api/docs/thought-signatures.
 */
function asGoogleStreams(stream: string, issued: Set<string>): string {
  const calls = new Map<number, { id: string; name: string; json: string }>();
  const out: string[] = [];
  for (const event of stream.split("\n\n")) {
    const data = event.replace(/^data: /, "");
    if (!data.startsWith("{")) {
      out.push(event);
      continue;
    }
    const chunk = JSON.parse(data) as Chunk; // written by this repository's own wires
    const [choice] = chunk.choices;
    for (const piece of choice?.delta.tool_calls ?? []) {
      const call = calls.get(piece.index) ?? { id: "", name: "", json: "" };
      const { name = "", arguments: json = "" } = piece.function;
      calls.set(piece.index, { id: call.id || (piece.id ?? ""), name: call.name + name, json: call.json + json });
    }
    if (choice?.delta.tool_calls !== undefined) continue;
    if (choice?.finish_reason != null) {
      for (const [at, { id, name, json }] of [...calls.values()].entries()) {
        const piece = { index: 0, id, type: "function", function: { name, arguments: json }, ...(at === 0 ? signed(id, issued) : {}) };
        out.push(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }] })}`);
      }
      out.push(
        `data: ${JSON.stringify({ ...chunk, choices: [{ ...choice, finish_reason: calls.size > 0 ? "stop" : choice.finish_reason }] })}`,
      );
    } else out.push(event);
  }
  return out.join("\n\n");
}

function signed(id: string, issued: Set<string>): object {
  const thought_signature = createHash("sha256").update(id).digest("base64");
  issued.add(thought_signature);
  return { extra_content: { google: { thought_signature } } };
}
