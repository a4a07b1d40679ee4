import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { rowOf } from "../../../../harness/models/families/find-row.ts";
import { loadPackage } from "../../../../harness/models/providers/clients/load-package.ts";
import { createModel } from "../../../../harness/models/create-model.ts";
import { redactorFor } from "../../../../harness/secrets/redactor-for-environment.ts";
import { azureKey, startStrictAzure } from "../../../servers/strict/strict-azure.ts";
import { bedrockAccess, startStrictBedrock, type StrictBedrockOptions } from "../../../servers/strict/strict-bedrock.ts";
import { googleAccount } from "../../../servers/strict/google-account.ts";
import type { StrictServer } from "../../../servers/strict-server.ts";
import { startStrictVertex } from "../../../servers/strict/strict-vertex.ts";
import { ask, clock, requestOf } from "../talk.ts";
import { haveTwoTurns, twoCallsThenDone } from "../two-turns.ts";

let server: StrictServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  vi.unstubAllEnvs();
});

type Env = Record<string, string>;
const make = (name: string, env: Env, baseUrl?: string) =>
  createModel({ name, protocol: "native", maxOutputTokens: 4096, ...(baseUrl ? { baseUrl } : {}) }, env, { clock });

describe("azure", () => {
  const env = (from: StrictServer): Env => ({
    AZURE_OPENAI_ENDPOINT: from.origin,
    AZURE_OPENAI_API_KEY: azureKey,
    OPENAI_API_VERSION: "2025-04-01-preview",
  });

  test("a deployment has a conversation with parallel calls, whatever model is behind it", async () => {
    server = await startStrictAzure(twoCallsThenDone);
    const model = await make("azure/my-reasoner", env(server));
    await haveTwoTurns(model, { seed: 7 });
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]).toMatchObject({
      path: "/openai/deployments/my-reasoner/chat/completions",
      body: { max_completion_tokens: 4096 },
    });
    expect(model.identity).toMatchObject({ provider: "azure", name: "my-reasoner", priceTable: null });
  });

  test("an older version of the API loses the count of tokens, and nothing else", async () => {
    server = await startStrictAzure(twoCallsThenDone);
    await haveTwoTurns(await make("azure/my-gpt", { ...env(server), OPENAI_API_VERSION: "2024-06-01" }));
    expect(server.refusals.map(({ message }) => message)).toEqual(["Unrecognized request argument supplied: stream_options"]);
  });

  test.each([
    ["azure/other", {}, { kind: "not_found", message: expect.stringContaining("The API deployment for this resource does not exist") }],
    ["azure/my-gpt", { AZURE_OPENAI_API_KEY: "wrong-key" }, { kind: "auth", message: expect.stringContaining("Check the API key") }],
  ])("%s: a refusal is read right", async (name, over, failure) => {
    server = await startStrictAzure(twoCallsThenDone);
    await expect(ask(await make(name, { ...env(server), ...over }))).rejects.toMatchObject(failure);
  });

  test("a row with wire responses asks the deployment over that API", async () => {
    server = await startStrictAzure(twoCallsThenDone);
    const settings = { name: "azure/my-reasoner", protocol: "native", maxOutputTokens: 4096, row: { wire: "responses" } } as const;
    // This server has no Responses API, and says so.
    await expect(ask(await createModel(settings, env(server), { clock }))).rejects.toMatchObject({ kind: "not_found" });
    expect(server.requests[0]).toMatchObject({
      path: "/openai/responses",
      query: { "api-version": "2025-04-01-preview" },
      headers: { "api-key": azureKey },
      body: { model: "my-reasoner", store: false },
    });
  });

  test("sampling that the model behind the deployment refuses ends the job", async () => {
    server = await startStrictAzure(twoCallsThenDone);
    const request = requestOf({ params: { maxOutputTokens: 100, temperature: 0.3 } });
    await expect(ask(await make("azure/my-reasoner", env(server)), request)).rejects.toMatchObject({ kind: "parameter" });
  });
});

describe("bedrock", () => {
  const name = "bedrock/us.anthropic.claude-opus-4-6-v1";
  const pair: Env = { AWS_ACCESS_KEY_ID: bedrockAccess.id, AWS_SECRET_ACCESS_KEY: bedrockAccess.secret, AWS_REGION: "us-west-2" };
  async function bedrock(model: string, env: Env, o: StrictBedrockOptions = {}) {
    server = await startStrictBedrock(twoCallsThenDone, o);
    return make(model, { ...env, ANTHROPIC_BEDROCK_BASE_URL: server.origin });
  }

  test.each([
    ["signed with a pair of keys", name, pair, /Credential=AKIAIOSFODNN7EXAMPLE\/\d+\/us-west-2\/bedrock\/aws4_request/],
    ["with a Bedrock API key", name, { AWS_BEARER_TOKEN_BEDROCK: bedrockAccess.token }, /^Bearer bedrock-api-key/],
    ["to a newer model", "bedrock/global.anthropic.claude-sonnet-5-5", pair, /^AWS4/],
    ["to an older model, with its version", "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", pair, /^AWS4/],
  ] as const)("a conversation with parallel calls, %s", async (_, model, env, authorization) => {
    await haveTwoTurns(await bedrock(model, env));
    expect(server?.refusals).toEqual([]);
    expect(server?.requests[0]?.headers.authorization).toMatch(authorization);
    expect(decodeURIComponent(server?.requests[0]?.path ?? "")).toBe(
      `/model/${model.slice("bedrock/".length)}/invoke-with-response-stream`,
    );
  });

  test("effort goes as the model's row has it, under its cloud's name", async () => {
    const request = requestOf({ params: { maxOutputTokens: 4096, effort: "xhigh" } });
    await ask(await bedrock(name, pair), request);
    expect(server?.requests[0]?.body).toMatchObject({ anthropic_version: "bedrock-2023-05-31", output_config: { effort: "high" } });
  });

  test.each([
    ["throttlingException", "rate_limit"],
    ["serviceUnavailableException", "overloaded"],
    ["modelStreamErrorException", "stream"],
    ["validationException", "invalid"],
  ])("%s in a stream is kind %s", async (type, kind) => {
    const model = await bedrock(name, pair, { exception: { type, message: "It did not work." } });
    await expect(ask(model)).rejects.toMatchObject({ kind, message: expect.stringContaining("broke off with an error: It did not work.") });
    expect((await ask(model)).calls).toHaveLength(2);
  });

  test("a conversation that is too long is limit context, wrong credentials are named", async () => {
    await expect(ask(await bedrock(name, pair, { contextTokens: 10 }))).rejects.toMatchObject({ kind: "context" });
    await server?.close();
    const other = await bedrock(name, { ...pair, AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7OTHERID" });
    await expect(ask(other)).rejects.toMatchObject({ kind: "auth", status: 403 });
  });

  test("a profile that is not there is said once, and not tried again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "forge-aws-"));
    for (const file of ["config", "credentials"]) writeFileSync(join(folder, file), "");
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
    vi.stubEnv("AWS_PROFILE", "nowhere");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    const model = await bedrock(name, { AWS_PROFILE: "nowhere", AWS_REGION: "us-east-1" });
    await expect(ask(model)).rejects.toMatchObject({
      kind: "auth",
      retryable: false,
      message: expect.stringMatching(/got no AWS credentials: .*Check AWS_PROFILE/),
    });
    expect(server?.requests).toEqual([]);
  });
});

describe("vertex", () => {
  const place: Env = { ANTHROPIC_VERTEX_PROJECT_ID: "my-project", CLOUD_ML_REGION: "europe-west1" };
  function credentials(over?: object): string {
    const file = googleAccount(over);
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    return file;
  }
  async function vertex(model: string, env: Env) {
    server = await startStrictVertex(twoCallsThenDone);
    return make(model, { ...place, ...env, ANTHROPIC_VERTEX_BASE_URL: server.url });
  }

  test.each(["vertex/claude-opus-4-5@20251101", "vertex/claude-sonnet-5-5@default"])(
    "%s has a conversation with parallel calls",
    async (name) => {
      await haveTwoTurns(await vertex(name, { GOOGLE_APPLICATION_CREDENTIALS: credentials() }));
      expect(server?.refusals).toEqual([]);
      expect(server?.requests[0]?.headers.authorization).toMatch(/^Bearer eyJ/);
      expect(server?.requests[0]?.body).toMatchObject({ anthropic_version: "2026-10-21" });
    },
  );

  test("without credentials a server of one's own gets a bare request, and its refusal is read", async () => {
    await expect(ask(await vertex("vertex/claude-opus-4-8", {}))).rejects.toMatchObject({
      kind: "auth",
      message: expect.stringContaining("answered 401: Request is missing required authentication credential"),
    });
  });

  test("credentials that give no token are named, and not tried again", async () => {
    const model = await vertex("vertex/claude-opus-4-8", {
      GOOGLE_APPLICATION_CREDENTIALS: credentials({ type: "nonsense", private_key: undefined }),
    });
    await expect(ask(model)).rejects.toMatchObject({ kind: "auth", message: expect.stringContaining("got no Google credentials: ") });
    expect(server?.requests).toEqual([]);
  });
});

describe("before any trial", () => {
  test.each<[string, Env, string]>([
    [
      "azure/my-gpt",
      {},
      "needs its resource's address, and AZURE_OPENAI_ENDPOINT is not set; export AZURE_OPENAI_ENDPOINT=https://RESOURCE.openai.azure.com.",
    ],
    [
      "azure/my-gpt",
      { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com" },
      "needs a key, and AZURE_OPENAI_API_KEY is not set; export AZURE_OPENAI_API_KEY=….",
    ],
    [
      "azure/my-gpt",
      { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com", AZURE_OPENAI_API_KEY: "k" },
      "needs the API's version, and OPENAI_API_VERSION is not set",
    ],
    ["bedrock/anthropic.claude-opus-4-8", {}, "needs AWS credentials, and none are set; export AWS_BEARER_TOKEN_BEDROCK=…"],
    [
      "bedrock/anthropic.claude-opus-4-8",
      { AWS_BEARER_TOKEN_BEDROCK: "k" },
      "needs an AWS region, and neither AWS_REGION nor AWS_DEFAULT_REGION is set; export AWS_REGION=us-east-1.",
    ],
    [
      "bedrock/us.openai.gpt-oss-120b",
      {},
      "is not of Anthropic, and bedrock/ calls Claude alone; Bedrock serves OpenAI's models at https://bedrock-mantle.",
    ],
    ["vertex/claude-opus-4-8", {}, "needs a Google Cloud project, and neither ANTHROPIC_VERTEX_PROJECT_ID nor GOOGLE_CLOUD_PROJECT is set"],
    [
      "vertex/claude-opus-4-8",
      { GOOGLE_CLOUD_PROJECT: "p" },
      "needs a location, and CLOUD_ML_REGION is not set; export CLOUD_ML_REGION=global",
    ],
    [
      "vertex/claude-opus-4-8",
      { GOOGLE_CLOUD_PROJECT: "p", CLOUD_ML_REGION: "global" },
      "needs Google credentials, and GOOGLE_APPLICATION_CREDENTIALS is not set",
    ],
    [
      "vertex/claude-opus-4-8",
      { GOOGLE_CLOUD_PROJECT: "p", CLOUD_ML_REGION: "global", GOOGLE_APPLICATION_CREDENTIALS: "/nowhere.json" },
      "names /nowhere.json, which does not exist",
    ],
  ])("%s with %j is refused with the cure", async (name, env, sentence) => {
    await expect(make(name, env)).rejects.toThrow(
      `model.name: ${name} ${sentence}`.replace(
        `${name} names`,
        `${name} needs Google credentials, and GOOGLE_APPLICATION_CREDENTIALS names`,
      ),
    );
  });

  test("a package that is not there is named with the command that installs it", async () => {
    await expect(loadPackage("forge-lab-no-such-package", "bedrock/x")).rejects.toThrow(
      "model.name: bedrock/x needs the package forge-lab-no-such-package, which is not installed beside Forge; run npm install forge-lab-no-such-package@1",
    );
  });

  test("a provider's name that is nearly right is corrected", async () => {
    await expect(make("gemni/gemini-3.6-flash", {})).rejects.toThrow(
      'no provider is called "gemni" (in gemni/gemini-3.6-flash); did you mean "gemini"?',
    );
    await expect(make("bedrok/x", {})).rejects.toThrow('did you mean "bedrock"?');
  });
});

test("keys of clouds are taken out of what is recorded", () => {
  const redact = redactorFor({
    AWS_BEARER_TOKEN_BEDROCK: bedrockAccess.token,
    AWS_SECRET_ACCESS_KEY: bedrockAccess.secret,
    AZURE_OPENAI_API_KEY: azureKey,
  });
  expect(redact(`${bedrockAccess.token} ${bedrockAccess.secret} ${azureKey}`)).toMatch(/^[█ ]+$/);
});

test.each([
  ["bedrock/global.anthropic.claude-opus-4-8", { context: 1_000_000, price: { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 } }],
  [
    "bedrock/us.anthropic.claude-opus-4-8-v1:0",
    { context: 1_000_000, price: { input: 5.5, output: 27.5, cached: 0.55, cacheWrite: 6.875 } },
  ],
  ["bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0", { context: 200_000, effortBy: "budget" }],
  ["bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-6", { wire: "messages" }],
  ["vertex/claude-opus-4-5@20251101", { output: 64_000 }],
  ["vertex/claude-sonnet-5-5@default", { history: "frozen" }],
])("%s has the row of its model", (name, row) => {
  expect(rowOf(name)).toMatchObject(row);
});

test("what only the user knows has no row: deployments, profiles, a price by region", () => {
  for (const name of ["azure/gpt-5", "bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "bedrock/meta.llama3"])
    expect(rowOf(name)).toBeUndefined();
  expect(rowOf("bedrock/anthropic.claude-opus-4-6-v1")).toMatchObject({ context: 1_000_000 });
  for (const name of ["bedrock/anthropic.claude-opus-4-6-v1", "vertex/claude-opus-4-8"]) expect(rowOf(name)?.price).toBeUndefined();
  expect(rowOf("azure/my-gpt", { wire: "chat", context: 400_000 })).toEqual({ wire: "chat", context: 400_000 });
});
