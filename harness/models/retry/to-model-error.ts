import { ModelError, type ModelErrorKind } from "../../contract/model-error.ts";
import { isDeeperThan } from "../../json.ts";
import { refusedParameter } from "./refused-parameter.ts";

/** What both SDKs' errors have in common; told apart by these classes, which come with the dynamically loaded SDK. */
export interface SdkErrors {
  readonly APIError: ErrorClass;
  readonly APIConnectionError: ErrorClass;
  readonly APIConnectionTimeoutError: ErrorClass;
}
type ErrorClass = abstract new (...args: never) => Error;

/**
 * The `ModelError` for anything an SDK threw. `who` is the model as people name it (`openai/gpt-5`), `now` Unix milliseconds, `effortFrom` the place that sets the effort. An error that
 * is neither the SDK's nor the network's is a broken stream: what came could not be read.
 */
export function toModelError(error: unknown, o: { who: string; sdk: SdkErrors; now: number; effortFrom?: string | undefined }): ModelError {
  if (error instanceof ModelError) return error;
  const { who, sdk } = o;
  if (error instanceof sdk.APIConnectionTimeoutError) return new ModelError("timeout", `${who} did not respond in time.`);
  if (error instanceof sdk.APIConnectionError) return new ModelError("connection", `${who} cannot be reached: ${rootCause(error)}.`);
  if (!(error instanceof sdk.APIError)) return new ModelError("stream", `${who} broke off in mid-reply: ${rootCause(error)}.`);
  // Fields of both APIErrors; `param` is OpenAI's.
  const given = error as { status?: number; headers?: Headers; error?: unknown; param?: unknown };
  const { headers, error: body, param } = given;
  const status = given.status ?? statusIn(body);
  const said = (saying(body) ?? error.message).slice(0, longestSaying);
  const general = kindOf(status, `${said} ${isDeeperThan(body, deepestBody) ? "" : (JSON.stringify(body) ?? "")}`);
  const refused = general === "invalid" || general === "not_found" ? refusedParameter(status, said, param, o.effortFrom) : undefined;
  const kind = refused ? "parameter" : general;
  const heading = given.status === undefined ? `${who} broke off with an error` : `${who} answered ${status}`;
  const message = `${heading}: ${said.trim().replace(/[.\s]+$/, "")}.${refused ? ` ${refused.cure}` : (cures[kind] ?? "")}`;
  return new ModelError(kind, message, { status, retryAfterMs: retryAfterOf(headers, o.now), refused: refused?.name });
}

/**
 * The status that an error in a stream names: a router that has sent 200 already has no other place for it.
 * Source: openrouter.ai/docs/api/reference/errors-and-debugging.
 */
function statusIn(body: unknown): number | undefined {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}

/** Characters of what a server says of its failure that are kept. */
const longestSaying = 8_000;
/** Levels of an error's body that are read. */
const deepestBody = 100;

const cures: Partial<Record<ModelErrorKind, string>> = {
  auth: " Check the API key in the environment.",
  not_found: " Check the model's name and the base URL.",
  quota: " Add credit to the account or raise its spend limit; nothing is tried again until then.",
};

/**
 * Spent for good, whatever the status: a 429 with one of these codes has no retry-after and keeps failing. Sources: promptfoo/promptfoo#10855 and #10881 (OpenAI);
 * platform.claude.com, "Rate limits" and "Errors"; anthropics/claude-code#88711.
 */
const outOfCredit =
  /insufficient_quota|credit_balance_exhausted|organization_spend_limit_exceeded|billing_error|credit balance is too low|(enforced|contract)_spend_limit_reached|reached your specified api usage limits/i;

/** `text` is everything the server said: some report a full context or an empty purse under a status of something else. */
function kindOf(status: number | undefined, text: string): ModelErrorKind {
  if (status !== 401 && status !== 403 && saysContextOverflow(text)) return "context";
  if (status === 402 || outOfCredit.test(text)) return "quota";
  if (status === undefined) return kindOfEvent(text);
  if (status === 400 && /api key not valid/i.test(text)) return "auth"; // Google
  const known: Record<number, ModelErrorKind> = {
    401: "auth",
    403: "auth",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    413: "context",
    425: "conflict",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
  };
  return known[status] ?? (status >= 500 ? "server" : "invalid");
}

/** An error that came as an event in a stream has no status, only its type. */
function kindOfEvent(text: string): ModelErrorKind {
  if (/overloaded|serviceUnavailable/i.test(text)) return "overloaded";
  if (/rate_limit|throttling/i.test(text)) return "rate_limit";
  if (/authentication_error|permission_error/i.test(text)) return "auth";
  // npm openai 7.57.0 `ResponseError`: the codes of a response that failed.
  if (/invalid_request_error|validationException|"(invalid_prompt|bio_policy|data_residency_mismatch|\w*image\w*)"/i.test(text))
    return "invalid";
  if (/server_error|vector_store_timeout/i.test(text)) return "server";
  return "stream";
}

/** The sentence in an error's body: `{error: {message}}`, the same in a list (Google), `{message}`, `{error: "…"}` or a bare text. */
export function saying(body: unknown, depth = 0): string | undefined {
  if (depth > deepestBody) return undefined;
  if (typeof body === "string") return body.trim() === "" ? undefined : body;
  if (Array.isArray(body)) return saying(body[0], depth + 1);
  if (typeof body !== "object" || body === null) return undefined;
  const { message, error, detail } = body as { message?: unknown; error?: unknown; detail?: unknown }; // any of them may be missing
  return (
    saying(error, depth + 1) ?? (typeof message === "string" ? message : undefined) ?? (typeof detail === "string" ? detail : undefined)
  );
}

/** "fetch failed" says nothing; what it was caused by does. */
function rootCause(error: unknown): string {
  let at = error;
  const seen: string[] = [];
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    if (at.message !== "") seen.push(at.message);
    at = at.cause;
  }
  return (seen.at(-1) ?? String(error)).replace(/\.$/, "");
}

/**
 * Milliseconds that a response's headers ask to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (taken against
 * `now`, Unix milliseconds). undefined where they ask nothing that can be understood; never negative.
 */
export function retryAfterOf(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = decimal(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers?.get("retry-after");
  const seconds = decimal(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function decimal(value: string | null | undefined): number | undefined {
  return value && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/**
 * What servers say when a conversation does not fit. The shared words are few, so each wording is listed with who says it; a wrong guess
 * would end a run as "context full" that was merely invalid.
 */
const wordings: readonly RegExp[] = [
  /input is too long for requested model/i, // Bedrock
  /input tokens exceed the configured limit/i, // OpenAI, gpt-5
  /input exceeds the context window/i, // OpenAI, Responses
  /greater than the context length|tokens to keep from the initial prompt/i, // LM Studio
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
function saysContextOverflow(text: string): boolean {
  return wordings.some((wording) => wording.test(text));
}
