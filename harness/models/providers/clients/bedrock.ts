import { ConfigError } from "../../../errors.ts";
import { ModelError } from "../../../contract/model-error.ts";
import { clientOptions } from "./client-options.ts";
import type { MessagesClient } from "../anthropic.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { loadPackage } from "./load-package.ts";

/** What is used of @anthropic-ai/bedrock-sdk 1.1. */
interface BedrockSdk {
  readonly AnthropicBedrock: MessagesClient["errors"] & (new (o: object) => MessagesClient["client"]);
}

/** Variables with which AWS's own chain finds credentials. Source: @aws-sdk/credential-providers, `fromNodeProviderChain`. */
const chain = [
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
] as const;

/**
 * Claude on Amazon Bedrock, over its InvokeModel API. Requests are signed with AWS credentials or carry a Bedrock API key; those to a server of one's own go
 * out bare where neither is set. Throws `ConfigError` where credentials, region or package are missing.
 */
export async function connectBedrock(o: ProviderOptions, env: Readonly<Record<string, string | undefined>>): Promise<MessagesClient> {
  const model = `${o.provider}/${o.name}`;
  if (/^[\w-]+\./.test(o.name) && !o.name.includes("anthropic."))
    throw new ConfigError(
      `model.name: ${model} is not of Anthropic, and bedrock/ calls Claude alone; Bedrock serves OpenAI's models at https://bedrock-mantle.REGION.api.aws/openai/v1, for --base-url with local/NAME and the Bedrock API key as API_KEY.`,
    );
  const set = (name: string): string | undefined => env[name] || undefined;
  const apiKey = set("AWS_BEARER_TOKEN_BEDROCK");
  const [awsAccessKey, awsSecretKey, awsSessionToken] = [set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"), set("AWS_SESSION_TOKEN")];
  const hasPair = awsAccessKey !== undefined && awsSecretKey !== undefined;
  const isSigned = apiKey !== undefined || hasPair || chain.some((name) => set(name) !== undefined);
  if (!isSigned && o.baseUrl === undefined)
    throw new ConfigError(
      `model.name: ${model} needs AWS credentials, and none are set; export AWS_BEARER_TOKEN_BEDROCK=… (a Bedrock API key), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
    );
  const region = set("AWS_REGION") ?? set("AWS_DEFAULT_REGION");
  if (region === undefined && o.baseUrl === undefined)
    throw new ConfigError(
      `model.name: ${model} needs an AWS region, and neither AWS_REGION nor AWS_DEFAULT_REGION is set; export AWS_REGION=us-east-1.`,
    );
  const { AnthropicBedrock } = await loadPackage<BedrockSdk>("@anthropic-ai/bedrock-sdk", model);
  const common = clientOptions(o);
  const client = new AnthropicBedrock({
    ...common,
    ...(o.baseUrl === undefined ? { baseURL: `https://bedrock-runtime.${region}.amazonaws.com` } : { baseURL: o.baseUrl }),
    awsRegion: region ?? "us-east-1",
    apiKey: apiKey ?? null,
    ...(hasPair ? { awsAccessKey, awsSecretKey, awsSessionToken } : {}),
    skipAuth: !isSigned || o.authorization !== undefined,
    // The SDK's own version exists there for Claude 4.7 and later alone. Sources: platform.claude.com/docs/en/api/versioning; docs.aws.amazon.com/bedrock,
    // "Anthropic Claude Messages API".
    defaultHeaders: { ...common.defaultHeaders, "anthropic-version": "bedrock-2023-05-31" },
  });
  return { client, errors: AnthropicBedrock, explain: (error) => withoutCredentials(error, model) };
}

/** AWS's chain found nothing, or what it found has expired: no request went out. */
function withoutCredentials(error: unknown, model: string): ModelError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (/^(Credentials|Token)ProviderError$/.test(at.name))
      return new ModelError(
        "auth",
        `${model} got no AWS credentials: ${at.message.replace(/\.$/, "")}. Check AWS_PROFILE, or sign in again.`,
      );
  return undefined;
}
