import type { ServedTask } from "../../harness/models/simulated/server/served-tasks.ts";
import type { ReceivedRequest, ScriptedStatus } from "./scripted-reply.ts";
import { startStrictServer, type StrictServer } from "./strict-server.ts";

/**
 * Refuses what api.openai.com refuses of sampling and length, each rule with the place where its body was seen or is documented. Families:
 * npm @ai-sdk/openai 4.0.118 `src/openai-model-catalog.ts` and developers.openai.com, Models (November 2026).
 */
export const startStrictOpenAi = (tasks: readonly ServedTask[]): Promise<StrictServer> => startStrictServer(openAiRefusal, tasks);

interface Family {
  readonly models: RegExp;
  /** When sampling parameters are taken: always, with effort `none` alone, or never. */
  readonly sampling: "always" | "without reasoning" | "never";
  /** What a request without an effort gets. Left out: the model does not reason. */
  readonly effort?: string;
}
/** The first that matches. */
const families: readonly Family[] = [
  { models: /^gpt-4(o|\.1)/, sampling: "always" },
  { models: /^gpt-5(\.\d)?-chat-latest/, sampling: "always" },
  { models: /^gpt-5\.[124](-mini|-nano)?(-\d{4}|$)/, sampling: "without reasoning", effort: "none" },
  { models: /^gpt-5\.[56](-(sol|terra|luna))?(-\d{4}|$)/, sampling: "without reasoning", effort: "medium" },
  { models: /^gpt-6-(sol|luna)|^gpt-6\.1-terra/, sampling: "without reasoning", effort: "medium" },
  { models: /^(o[1-9]|gpt-5|gpt-6)/, sampling: "never", effort: "medium" },
];

/** The refusal of a request, or undefined for one that the API would take. */
export function openAiRefusal({ path, body }: ReceivedRequest): ScriptedStatus | undefined {
  const family = families.find(({ models }) => models.test(String(body["model"])));
  if (family === undefined) return undefined;
  const responses = path === "/v1/responses";
  const reasoning = body["reasoning"] as { effort?: unknown } | undefined; // a client sends anything
  const effort = (responses ? reasoning?.effort : body["reasoning_effort"]) ?? family.effort ?? "none";
  const samples = family.sampling === "always" || (family.sampling === "without reasoning" && effort === "none");
  if (responses) {
    // OpenHands/software-agent-sdk#1837: code null on Responses.
    const sent = samples ? undefined : (["temperature", "top_p"] as const).find((name) => body[name] !== undefined);
    return sent === undefined ? undefined : refused(`Unsupported parameter: '${sent}' is not supported with this model.`, sent, null);
  }
  const temperature = body["temperature"];
  // microsoft/vscode#255504, QwenLM/qwen-code#921: exactly 1 is taken.
  if (!samples && temperature !== undefined && temperature !== 1) {
    const words = `Unsupported value: 'temperature' does not support ${JSON.stringify(temperature)} with this model. Only the default (1) value is supported.`;
    return refused(words, "temperature", "unsupported_value");
  }
  // developers.openai.com, Deployment checklist: to be removed with any effort but none; status and code by analogy.
  const sampling = samples ? undefined : ["top_p", "logprobs", "top_logprobs"].find((name) => body[name] !== undefined);
  if (sampling) return refused(`Unsupported parameter: '${sampling}' is not supported with this model.`, sampling, "unsupported_parameter");
  // griptape-ai/ComfyUI-Griptape#312.
  if (family.effort !== undefined && body["max_tokens"] !== undefined) {
    const words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return refused(words, "max_tokens", "unsupported_parameter");
  }
  return undefined;
}

const refused = (message: string, param: string, code: string | null): ScriptedStatus => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param, code } },
});
