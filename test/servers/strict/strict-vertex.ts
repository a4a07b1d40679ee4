import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { anthropicRefusal } from "./strict-anthropic.ts";
import { type Speaker, startStrictServer, type StrictServer } from "../strict-server.ts";

/**
 * Claude on Vertex AI, streamRawPredict. Its base URL ends in `/v1`. Sources: docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude;
 * platform.claude.com/docs/en/api/versioning.
 */
export const startStrictVertex = (speaker: Speaker): Promise<StrictServer> =>
  startStrictServer(refuse, speaker, (request, ask) => {
    const { anthropic_version: _version, ...body } = request.body;
    return ask({ ...request, path: "/v1/messages", body: { ...body, model: modelIn(request.path) } });
  });

const path = /^\/v1\/projects\/my-project\/locations\/[a-z0-9-]+\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/;
const modelIn = (at: string): string | undefined => path.exec(decodeURIComponent(at))?.[1];

function refuse(request: ReceivedRequest): ScriptedStatus | undefined {
  const { headers, body } = request;
  const model = modelIn(request.path);
  if (headers.authorization?.startsWith("Bearer ") !== true)
    return refused(
      401,
      "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
      "UNAUTHENTICATED",
    );
  if (model === undefined) return refused(404, `Publisher Model was not found: ${request.path}`, "NOT_FOUND");
  // Use Claude: the model is in the path, the version in the body and not in a header.
  if (body["model"] !== undefined) return invalid("model: Extra inputs are not permitted");
  if (headers["anthropic-version"] !== undefined) return invalid("anthropic-version: the version belongs into the body");
  const version = body["anthropic_version"];
  if (version === undefined) return invalid("anthropic_version: Field required");
  const known: Readonly<Record<string, string>> = { "vertex-2023-10-16": "2023-06-01", "2026-10-21": "2026-10-21" };
  const meant = known[String(version)];
  if (meant === undefined) return invalid(`"${String(version)}" is not a valid version`);
  return anthropicRefusal({ ...request, headers: { "anthropic-version": meant }, body: { ...body, model: model.replace(/@.*$/, "") } });
}

const invalid = (message: string): ScriptedStatus => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});
const refused = (code: number, message: string, status: string): ScriptedStatus => ({
  status: code,
  body: [{ error: { code, message, status } }],
});
