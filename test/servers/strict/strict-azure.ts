import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { openAiRefusal } from "./strict-openai.ts";
import { type Speaker, startStrictServer, type StrictServer } from "../strict-server.ts";

/** What the deployments of the resource serve. */
const deployments: Readonly<Record<string, string>> = { "my-reasoner": "gpt-5-mini", "my-gpt": "gpt-4.1" };
export const azureKey = "azure-key-0123456789";

/**
 * Azure OpenAI's data plane: refuses what it refuses, and what the model behind a deployment does. Sources: learn.microsoft.com/azure/ai-foundry/openai/reference;
 * learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning.
 */
export const startStrictAzure = (speaker: Speaker): Promise<StrictServer> =>
  startStrictServer(refuse, speaker, async (request, ask) => {
    const response = await ask({ ...request, path: "/v1/chat/completions" });
    // The first event is about the prompt and has no choice in it: Reference, "Content filtering".
    const filter = {
      choices: [],
      created: 0,
      id: "",
      model: "",
      object: "",
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
    };
    return new Response(`data: ${JSON.stringify(filter)}\n\n${await response.text()}`, { headers: response.headers });
  });

function refuse(request: ReceivedRequest): ScriptedStatus | undefined {
  const { path, headers, body, query } = request;
  const deployment = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/.exec(path)?.[1];
  // Reference: the path, and `api-version` with each request.
  if (deployment === undefined || query?.["api-version"] === undefined) return refused(404, "404", "Resource not found");
  if (headers["api-key"] !== azureKey)
    return refused(
      401,
      "401",
      "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
    );
  const model = deployments[deployment];
  if (model === undefined)
    return refused(
      404,
      "DeploymentNotFound",
      "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
    );
  // Reference, "What's new": stream_options came with 2024-09-01-preview.
  if (query["api-version"] < "2024-09-01" && body["stream_options"] !== undefined)
    return {
      status: 400,
      body: {
        error: {
          message: "Unrecognized request argument supplied: stream_options",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
    };
  return openAiRefusal({ ...request, path: "/v1/chat/completions", body: { ...body, model } });
}

const refused = (status: number, code: string, message: string): ScriptedStatus => ({ status, body: { error: { code, message } } });
