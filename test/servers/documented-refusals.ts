import type { ModelErrorKind } from "../../harness/contract/model-error.ts";
import type { ScriptedStatus } from "./scripted-reply.ts";

/** A refusal as a provider documents it, or as it was seen: what is asked, what comes back, what it is, and a word of the cure. */
export interface DocumentedRefusal {
  readonly model: string;
  /** Where the body is documented or was seen. */
  readonly source: string;
  readonly answer: ScriptedStatus;
  readonly kind: ModelErrorKind;
  readonly cure: RegExp;
}

const openai = (message: string, param: string | null, code: string | null, type = "invalid_request_error") => ({
  error: { message, type, param, code },
});
const anthropic = (message: string, type = "invalid_request_error", error_code?: string) => ({
  type: "error",
  error: { type, message, ...(error_code === undefined ? {} : { details: { error_code } }) },
  request_id: "req_1",
});
const gpt = "openai/gpt-5-mini";
const claude = "anthropic/claude-opus-5-5";
const credit = /Add credit to the account or raise its spend limit/;
const full = /./;

/** Accounts that have nothing left: no attempt begins after the first such answer. */
export const spent: readonly DocumentedRefusal[] = [
  {
    model: gpt,
    source: "promptfoo/promptfoo#10855",
    answer: {
      status: 429,
      body: openai(
        "You exceeded your current quota, please check your plan and billing details.",
        null,
        "insufficient_quota",
        "insufficient_quota",
      ),
    },
    kind: "quota",
    cure: credit,
  },
  {
    model: gpt,
    source: "promptfoo/promptfoo#10881",
    answer: {
      status: 429,
      body: openai("Your prepaid credit balance is exhausted.", null, "credit_balance_exhausted", "insufficient_quota"),
    },
    kind: "quota",
    cure: credit,
  },
  {
    model: gpt,
    source: "promptfoo/promptfoo#10881",
    answer: { status: 429, body: openai("The organization has reached its spend limit.", null, "organization_spend_limit_exceeded") },
    kind: "quota",
    cure: credit,
  },
  ...["enforced_spend_limit_reached", "contract_spend_limit_reached"].map((code) => ({
    model: claude,
    source: "platform.claude.com, Rate limits; npm @anthropic-ai/sdk CHANGELOG 1.10.0",
    answer: { status: 429, body: anthropic("This request would exceed your organization's spend limit.", "rate_limit_error", code) },
    kind: "quota" as const,
    cure: credit,
  })),
  {
    model: claude,
    source: "anthropics/claude-code#88711",
    answer: { status: 400, body: anthropic("Your credit balance is too low to access the Anthropic API.") },
    kind: "quota",
    cure: credit,
  },
  {
    model: claude,
    source: "platform.claude.com, Errors",
    answer: { status: 402, body: anthropic("There is an issue with your billing or payment information.", "billing_error") },
    kind: "quota",
    cure: credit,
  },
  {
    model: "openrouter/openai/gpt-5-mini",
    source: "openrouter.ai/docs/api/reference/errors-and-debugging",
    answer: { status: 402, body: { error: { code: 402, message: "Insufficient credits. Add more using https://openrouter.ai/credits" } } },
    kind: "quota",
    cure: credit,
  },
];

/** The wire or a field that no call of this configuration will get through with. */
export const wrong: readonly DocumentedRefusal[] = [
  {
    model: "openai/gpt-5-codex-next",
    source: "n8n-io/n8n#18352",
    answer: {
      status: 404,
      body: openai("This model is only supported in v1/responses and not in v1/chat/completions.", "model", null),
    },
    kind: "parameter",
    cure: /write wire: responses into its row .* model\.name is set at/,
  },
  {
    model: "openai/gpt-next",
    source: "micz/ThunderAI#570",
    answer: {
      status: 404,
      body: openai("This is not a chat model and thus not supported in the v1/chat/completions endpoint.", "model", null),
    },
    kind: "parameter",
    cure: /write wire: responses into its row .* model\.name is set at/,
  },
  {
    model: gpt,
    source: "AAswordman/Operit#1048",
    answer: { status: 400, body: openai("Unrecognized request argument supplied: top_k", null, null) },
    kind: "parameter",
    cure: /Take top_k out of model\.extra, .* model\.extra\.top_k is set at arm\.yaml:3/,
  },
  {
    model: "anthropic/claude-next",
    source: "decolua/9router#1468",
    answer: { status: 400, body: anthropic("context_management: Extra inputs are not permitted") },
    kind: "parameter",
    cure: /Take context_management out of model\.extra, .* model\.extra\.context_management is set at arm\.yaml:3/,
  },
];

/** A conversation that does not fit: the run ends as limit `context`, and its work is verified. */
export const overflows: readonly DocumentedRefusal[] = (
  [
    [
      gpt,
      "npm @earendil-works/pi-ai 1.5.2 dist/utils/overflow.js",
      400,
      openai("This model's maximum context length is 400000 tokens.", "messages", "context_length_exceeded"),
    ],
    [
      gpt,
      "cline/cline#5474",
      400,
      openai("Input tokens exceed the configured limit of 272000 tokens.", "messages", "context_length_exceeded"),
    ],
    [gpt, "OpenHands/software-agent-sdk#776", 400, openai("Your input exceeds the context window of this model.", "input", null)],
    [claude, "platform.claude.com, Context windows", 400, anthropic("prompt is too long: 1000010 tokens > 1000000 maximum")],
    [
      claude,
      "platform.claude.com, Context windows",
      400,
      anthropic("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    ],
    [claude, "platform.claude.com, Errors", 413, anthropic("Request exceeds the maximum size", "request_too_large")],
    [claude, "npm @earendil-works/pi-ai 1.5.2 dist/utils/overflow.js (Bedrock)", 400, anthropic("Input is too long for requested model.")],
    [
      "llamacpp/small",
      "ggml-org/llama.cpp tools/server/README.md",
      400,
      {
        error: {
          code: 400,
          type: "exceed_context_size_error",
          message: "the request exceeds the available context size.",
          n_prompt_tokens: 9000,
          n_ctx: 8192,
        },
      },
    ],
    [
      "ollama/small",
      "ollama/ollama openai/openai.go",
      400,
      { error: { type: "invalid_request_error", message: "input length exceeds maximum context length", param: null, code: null } },
    ],
    [
      "lmstudio/small",
      "npm @earendil-works/pi-ai 1.5.2 dist/utils/overflow.js (LM Studio)",
      400,
      {
        error:
          "Trying to keep the first 9000 tokens when context the overflows. The number of tokens to keep from the initial prompt is greater than the context length.",
      },
    ],
    [
      "vllm/small",
      "vllm-project/vllm vllm/entrypoints/openai",
      400,
      openai("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.", null, null, "BadRequestError"),
    ],
    [
      "openrouter/openai/gpt-5-mini",
      "openrouter.ai/docs/api/reference/errors-and-debugging",
      400,
      { error: { code: 400, message: "This endpoint's maximum context length is 400000 tokens." } },
    ],
    [
      "local/gemini",
      "npm @earendil-works/pi-ai 1.5.2 dist/utils/overflow.js (Google)",
      400,
      [
        {
          error: {
            code: 400,
            status: "INVALID_ARGUMENT",
            message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
          },
        },
      ],
    ],
  ] as const
).map(([model, source, status, body]) => ({ model, source, answer: { status, body }, kind: "context" as const, cure: full }));
