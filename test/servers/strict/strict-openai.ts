import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { refusedConversation } from "./chat-rules.ts";
import { type Family, familyOf } from "./openai-families.ts";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { startStrictServer, type StrictServer } from "../strict-server.ts";

/** Refuses what api.openai.com refuses of models, sampling, effort and length, each rule with the place where its body was seen or is documented. */
export const startStrictOpenAi = (tasks: readonly ServedTask[]): Promise<StrictServer> => startStrictServer(openAiRefusal, tasks);

/** The refusal of a request, or undefined for one that the API would take. */
export function openAiRefusal({ path, body }: ReceivedRequest): ScriptedStatus | undefined {
  const family = familyOf(body["model"]);
  if (family === undefined) return undefined;
  return path === "/v1/responses" ? refusedOnResponses(body, family) : refusedOnChat(body, family);
}

function refusedOnResponses(body: Body, family: Family): ScriptedStatus | undefined {
  const reasoning = body["reasoning"] as { effort?: unknown } | undefined; // a client sends anything
  const effort = reasoning?.effort;
  // BoundaryML/baml#2708.
  if (effort !== undefined && family.efforts.length === 0)
    return refused("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort", unsupported);
  // openai/openai-agents-python#2089, sst/opencode#4451.
  if (effort !== undefined && !family.efforts.includes(String(effort))) return refused(...unknownEffort(body, effort, "reasoning.effort"));
  // OpenHands/software-agent-sdk#1837: code null on Responses.
  const sent = samples(family, effort) ? undefined : (["temperature", "top_p"] as const).find((name) => body[name] !== undefined);
  return sent && refused(`Unsupported parameter: '${sent}' is not supported with this model.`, sent, null);
}

function refusedOnChat(body: Body, family: Family): ScriptedStatus | undefined {
  const model = String(body["model"]);
  // n8n-io/n8n#18352.
  if (family.responsesOnly)
    return refused("This model is only supported in v1/responses and not in v1/chat/completions.", "model", null, 404);
  const effort = body["reasoning_effort"];
  // AAswordman/Operit#1048.
  if (effort !== undefined && family.efforts.length === 0)
    return refused("Unrecognized request argument supplied: reasoning_effort", null, null);
  // openai/openai-agents-python#2089, sst/opencode#4451; developers.openai.com, "Latest model": max on Responses only.
  if (effort !== undefined && (!family.efforts.includes(String(effort)) || effort === "max"))
    return refused(...unknownEffort(body, effort, "reasoning_effort"));
  // openai/openai-openapi#541, pipecat-ai/pipecat#4043, onyx-dot-app/onyx#15008.
  if (Array.isArray(body["tools"]) && body["tools"].length > 0 && !toolsGoOnChat(family, effort)) {
    const cure = "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
    const words = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${cure}`;
    return refused(words, "reasoning_effort", null);
  }
  const sampled = samples(family, effort);
  const temperature = body["temperature"];
  // microsoft/vscode#255504, QwenLM/qwen-code#921: exactly 1 is taken.
  if (!sampled && temperature !== undefined && temperature !== 1) {
    const words = `Unsupported value: 'temperature' does not support ${JSON.stringify(temperature)} with this model. Only the default (1) value is supported.`;
    return refused(words, "temperature", "unsupported_value");
  }
  // developers.openai.com, Deployment checklist: to be removed with any effort but none; status and code by analogy.
  const sampling = sampled ? undefined : ["top_p", "logprobs", "top_logprobs"].find((name) => body[name] !== undefined);
  if (sampling) return refused(`Unsupported parameter: '${sampling}' is not supported with this model.`, sampling, unsupported);
  // griptape-ai/ComfyUI-Griptape#312.
  if (family.effort !== undefined && body["max_tokens"] !== undefined) {
    const words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return refused(words, "max_tokens", unsupported);
  }
  return refusedConversation(body);
}

const samples = (family: Family, effort: unknown): boolean =>
  family.sampling === "always" || (family.sampling === "without reasoning" && (effort ?? family.effort ?? "none") === "none");

function toolsGoOnChat({ chatTools, effort: standard }: Family, effort: unknown): boolean {
  if (chatTools === "none in effect") return (effort ?? standard) === "none";
  return chatTools === undefined || (chatTools === "none sent" && effort === "none");
}

function unknownEffort(body: Body, effort: unknown, param: string): [message: string, param: string, code: string] {
  const values = (familyOf(body["model"])?.efforts ?? []).filter((value) => param === "reasoning.effort" || value !== "max");
  const list = values.map((value) => `'${value}'`).join(", ");
  const words = `Unsupported value: '${String(effort)}' is not supported with the '${String(body["model"])}' model. Supported values are: ${list}.`;
  return [words, param, "unsupported_value"];
}

type Body = ReceivedRequest["body"];
const unsupported = "unsupported_parameter";

const refused = (message: string, param: string | null, code: string | null, status = 400): ScriptedStatus => ({
  status,
  body: { error: { message, type: "invalid_request_error", param, code } },
});
