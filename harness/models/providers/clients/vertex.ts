import { existsSync } from "node:fs";
import { ConfigError } from "../../../errors.ts";
import { ModelError } from "../../../contract/model-error.ts";
import { clientOptions } from "./client-options.ts";
import type { MessagesClient } from "../anthropic.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { loadPackage } from "./load-package.ts";

/** What is used of @anthropic-ai/vertex-sdk 1.1. The client asks for credentials as soon as it is made. */
interface VertexSdk {
  readonly AnthropicVertex: MessagesClient["errors"] &
    (new (o: object) => MessagesClient["client"] & { _authClientPromise?: Promise<unknown> });
}

/**
 * Claude on Google Cloud's Vertex AI. Requests carry a token of Google's application default credentials; those to a server of one's own go out bare where
 * none are set. Throws `ConfigError` where project, location, credentials or package are missing.
 */
export async function connectVertex(o: ProviderOptions, env: Readonly<Record<string, string | undefined>>): Promise<MessagesClient> {
  const model = `${o.provider}/${o.name}`;
  const projectId = env["ANTHROPIC_VERTEX_PROJECT_ID"] || env["GOOGLE_CLOUD_PROJECT"] || undefined;
  if (projectId === undefined)
    throw new ConfigError(
      `model.name: ${model} needs a Google Cloud project, and neither ANTHROPIC_VERTEX_PROJECT_ID nor GOOGLE_CLOUD_PROJECT is set; export ANTHROPIC_VERTEX_PROJECT_ID=….`,
    );
  const region = env["CLOUD_ML_REGION"] || undefined;
  if (region === undefined)
    throw new ConfigError(
      `model.name: ${model} needs a location, and CLOUD_ML_REGION is not set; export CLOUD_ML_REGION=global, or a region.`,
    );
  const file = env["GOOGLE_APPLICATION_CREDENTIALS"] || undefined;
  const hasCredentials = file !== undefined || !["", "none"].includes(env["METADATA_SERVER_DETECTION"] ?? "");
  if (!hasCredentials && o.baseUrl === undefined)
    throw new ConfigError(
      `model.name: ${model} needs Google credentials, and GOOGLE_APPLICATION_CREDENTIALS is not set; export it with the file of a service account, or with the one that gcloud auth application-default login writes (on a machine of Google's, export METADATA_SERVER_DETECTION=assume-present).`,
    );
  if (file !== undefined && !existsSync(file))
    throw new ConfigError(
      `model.name: ${model} needs Google credentials, and GOOGLE_APPLICATION_CREDENTIALS names ${file}, which does not exist; correct its path.`,
    );
  const { AnthropicVertex } = await loadPackage<VertexSdk>("@anthropic-ai/vertex-sdk", model);
  const client = new AnthropicVertex({
    ...clientOptions(o),
    ...(o.baseUrl === undefined ? {} : { baseURL: o.baseUrl }),
    projectId,
    region,
    ...(hasCredentials ? {} : { authClient: { projectId, getRequestHeaders: async () => new Headers() } }),
  });
  // What fails there is said by the first request; a model that is only identified makes none.
  client._authClientPromise?.catch(() => undefined);
  return { client, errors: AnthropicVertex, explain: (error) => withoutCredentials(error, model) };
}

/** Google gave no token for these credentials. Where its server could not be reached, that is another failure, and tried again. */
function withoutCredentials(error: unknown, model: string): ModelError | undefined {
  if (!(error instanceof Error) || !error.message.startsWith("Failed to acquire Google OAuth credentials")) return undefined;
  const { cause } = error;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  if (/^E(NOTFOUND|AI_AGAIN|CONN|TIMEDOUT|PIPE)|^5\d\d$/.test(code)) return undefined;
  const why = cause instanceof Error ? cause.message.replace(/\.$/, "") : "no reason given";
  return new ModelError("auth", `${model} got no Google credentials: ${why}. Check GOOGLE_APPLICATION_CREDENTIALS.`);
}
