import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { familyOf } from "./openai-families.ts";
import { createLedger, inputOf, refused } from "./responses-rules.ts";
import { scriptedSpeech, simulatedSpeech } from "../responses-script.ts";
import { itemsOf, responsesBody, type ResponsesSpeech, type Written } from "../responses-wire.ts";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { openAiRefusal } from "./strict-openai.ts";
import { cutAfter, spoken, startStrictServer, type StrictServer } from "../strict-server.ts";

export interface StrictResponses extends StrictServer {
  /** Ids of the server's own items that a client returned with another content. */
  readonly altered: readonly string[];
}

export interface StrictResponsesOptions {
  /** The context window of every model, in tokens of four characters. Left out: none is ever full. */
  readonly contextTokens?: number;
  /** anomalyco/opencode#6071: a full context can show after HTTP 200. */
  readonly overflowsAfter200?: boolean;
  /** As Azure does: see `Written`. */
  readonly encryptsAtTheEnd?: boolean;
  /** In the place of the script, and of the simulated model; on both wires. */
  readonly reply?: (request: ReceivedRequest) => ResponsesSpeech | ScriptedStatus | undefined;
  /** Hears every request, with the provider's sentence where it was refused. */
  readonly hear?: (request: ReceivedRequest, refused: string | undefined) => void;
}

/** Keys that stand for an account. Any other one is good. */
export const accounts = { wrong: "sk-wrong", spent: "sk-spent", spentBalance: "sk-spent-balance" } as const;

/**
 * api.openai.com with its Responses API: refuses what the API refuses, holds conversations of which it keeps nothing, and serves Chat Completions beside it.
 * A conversation with a script (`scriptOf`) is answered with it, any other one by the simulated model as it plays `tasks`, or with one word where there are none.
 */
export async function startStrictResponses(tasks: readonly ServedTask[] = [], o: StrictResponsesOptions = {}): Promise<StrictResponses> {
  const ledger = createLedger();
  let serial = 0;
  const tokensOf = ({ body }: ReceivedRequest): number => Math.ceil(JSON.stringify(body["messages"] ?? inputOf(body)).length / 4);
  const overflows = (request: ReceivedRequest): boolean => o.contextTokens !== undefined && tokensOf(request) > o.contextTokens;

  function refuse(request: ReceivedRequest): ScriptedStatus | undefined {
    const refusal = refusedAccount(request) ?? openAiRefusal(request);
    if (refusal !== undefined) return refusal;
    if (request.path !== "/v1/responses") return overflows(request) ? refusedLength(tokensOf(request), o.contextTokens) : undefined;
    // OpenHands/software-agent-sdk#776.
    if (overflows(request) && !o.overflowsAfter200) return refused(fullContext, "input", "context_length_exceeded");
    return ledger.refuse(request);
  }

  const server = await startStrictServer(
    refuse,
    tasks,
    async (request, ask) => {
      if (request.path !== "/v1/responses") return chatResponse(request);
      const speech =
        o.reply?.(request) ?? scriptedSpeech(request) ?? (tasks.length === 0 ? { text: "Done." } : await simulatedSpeech(request, ask));
      if (speech instanceof Response) return speech;
      if ("status" in speech) return Response.json(speech.body, { status: speech.status, headers: speech.headers ?? {} });
      const full = overflows(request) ? { error: { code: "context_length_exceeded", message: fullContext } } : {};
      const written = writtenFor(request, ++serial);
      const items = "error" in full ? [] : itemsOf(speech, written);
      ledger.issue(request, items);
      const type = written.stream ? "text/event-stream; charset=utf-8" : "application/json";
      return new Response(cutAfter(responsesBody({ ...speech, ...full }, items, written), speech), {
        headers: { "content-type": type, "x-request-id": `req_${serial}` },
      });
    },
    o.hear,
  );

  function chatResponse(request: ReceivedRequest): Response | undefined {
    const speech = o.reply?.(request);
    if (speech === undefined) return undefined;
    if ("status" in speech) return Response.json(speech.body, { status: speech.status, headers: speech.headers ?? {} });
    return spoken(speech, { path: request.path, body: request.body, serial: ++serial });
  }

  const writtenFor = (request: ReceivedRequest, number: number): Written => {
    const { body } = request;
    const include = (body["include"] ?? []) as string[]; // a client sends anything
    const asked = (body["reasoning"] as { effort?: string } | undefined)?.effort;
    return {
      serial: number,
      model: String(body["model"]),
      stream: body["stream"] === true,
      reasons: (asked ?? familyOf(body["model"])?.effort ?? "none") !== "none",
      encrypts: include.includes("reasoning.encrypted_content"),
      encryptsAtTheEnd: o.encryptsAtTheEnd === true,
      inputTokens: tokensOf(request),
      removed: ledger.removed(request),
    };
  };
  return { ...server, altered: ledger.altered };
}

const fullContext = "Your input exceeds the context window of this model. Please adjust your input and try again.";

/** cline/cline#5474. */
const refusedLength = (used: number, most = 0): ScriptedStatus => {
  const words = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${used} tokens.`;
  return refused(words, "messages", "context_length_exceeded");
};

/** developers.openai.com, "Error codes", chatanywhere/GPT_API_free#62; Aider-AI/aider `tests/fixtures/chat-history.md`; promptfoo/promptfoo#10855, #10881. */
function refusedAccount({ headers, body }: ReceivedRequest): ScriptedStatus | undefined {
  const key = String(headers["authorization"] ?? "").replace(/^Bearer /, "");
  if (key === accounts.wrong) return refused("Incorrect API key provided: sk-wrong.", null, "invalid_api_key", 401);
  const spent = { [accounts.spent]: "insufficient_quota", [accounts.spentBalance]: "credit_balance_exhausted" }[key];
  if (spent !== undefined) {
    const words = "You have no prepaid credit left. Add credit to your account and try again.";
    return refused(words, null, spent, 429, "insufficient_quota"); // and no retry-after
  }
  if (familyOf(body["model"]) !== undefined) return undefined;
  return refused(`The model \`${String(body["model"])}\` does not exist or you do not have access to it.`, null, "model_not_found", 404);
}
