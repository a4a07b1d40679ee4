import type { ReceivedRequest, ScriptedSpeech } from "../scripted-reply.ts";
import { createSignatures } from "./signatures.ts";
import { strictGemini } from "./strict-gemini.ts";
import { anthropicRefusal } from "./strict-anthropic.ts";
import { startStrictResponses } from "./strict-responses.ts";
import { spoken, startStrictServer } from "../strict-server.ts";

/** OpenAI, Anthropic and Google, each as strict as its documentation, with one scripted model behind all of their wires. */
export interface StrictProviders {
  /** The environment that leads Forge to them. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * @param reply what the model says to a request that its provider takes
 * @param hear every request, with the provider's sentence where it was refused
 */
export async function startStrictProviders(
  reply: (request: Pick<ReceivedRequest, "text">) => ScriptedSpeech,
  hear: (request: ReceivedRequest, refused: string | undefined) => void,
): Promise<StrictProviders> {
  const openAi = await startStrictResponses([], { reply, hear });
  const signatures = createSignatures();
  let serial = 0;
  const answer = async (request: ReceivedRequest): Promise<Response> =>
    spoken(signatures.sign(request.body, reply(request)), { path: request.path, body: request.body, serial: ++serial });
  const refuse = (request: ReceivedRequest) => anthropicRefusal(request) ?? signatures.refusal(request.body);
  const anthropic = await startStrictServer(refuse, [], answer, hear);
  const google = strictGemini();
  const gemini = await startStrictServer(google.refuse, ({ body }) => reply({ text: JSON.stringify(body) }), google.answer, hear);
  const urls = {
    OPENAI_BASE_URL: openAi.url,
    ANTHROPIC_BASE_URL: anthropic.origin,
    GEMINI_BASE_URL: `${gemini.origin}/v1beta/openai`,
  };
  return {
    env: { ...urls, OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key", GEMINI_API_KEY: "key" },
    close: async () => void (await Promise.all([openAi.close(), anthropic.close(), gemini.close()])),
  };
}
