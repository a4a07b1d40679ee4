import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { googleAccount } from "../../servers/strict/google-account.ts";
import { azureKey, startStrictAzure } from "../../servers/strict/strict-azure.ts";
import { bedrockAccess, startStrictBedrock } from "../../servers/strict/strict-bedrock.ts";
import { startStrictGemini } from "../../servers/strict/strict-gemini.ts";
import type { StrictServer } from "../../servers/strict-server.ts";
import { startStrictVertex } from "../../servers/strict/strict-vertex.ts";
import { sampled } from "../../needs.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder } from "../forge.ts";

afterAll(cleanUp);
let server: StrictServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function served(): Promise<ServedTask[]> {
  const { tasks } = await loadSuite("demo", { variables: {} });
  return tasks.flatMap(({ name, instruction, plan, metadata: { family, difficulty } }) =>
    plan ? [{ name, instruction, plan, family, difficulty }] : [],
  );
}

const geminiKey = "AIzaSyD-gemini-key-0123456789abcdefghij";
const providers = [
  {
    model: "gemini/gemini-3.6-flash",
    start: startStrictGemini,
    at: (from: StrictServer) => `${from.origin}/v1beta/openai`,
    env: { GEMINI_API_KEY: geminiKey },
    secrets: [geminiKey],
  },
  {
    model: "azure/my-reasoner",
    start: startStrictAzure,
    at: (from: StrictServer) => from.origin,
    env: { AZURE_OPENAI_API_KEY: azureKey, OPENAI_API_VERSION: "2025-04-01-preview" },
    secrets: [azureKey],
  },
  {
    model: "bedrock/us.anthropic.claude-opus-4-8",
    start: startStrictBedrock,
    at: (from: StrictServer) => from.origin,
    env: { AWS_ACCESS_KEY_ID: bedrockAccess.id, AWS_SECRET_ACCESS_KEY: bedrockAccess.secret, AWS_REGION: "us-east-1" },
    secrets: [bedrockAccess.id, bedrockAccess.secret],
  },
  {
    model: "vertex/claude-opus-4-8@default",
    start: startStrictVertex,
    at: (from: StrictServer) => `${from.origin}/v1`,
    env: { GOOGLE_APPLICATION_CREDENTIALS: googleAccount(), ANTHROPIC_VERTEX_PROJECT_ID: "my-project", CLOUD_ML_REGION: "global" },
    secrets: ["Bearer ey"],
  },
];

describe.each(providers)("$model, behind a server that refuses what its provider refuses", ({ model, start, at, env, secrets }) => {
  it("solves a task with presets, is refused nothing, leaves no key, and replays exactly", async () => {
    server = await start(await served());
    const cwd = emptyFolder({});
    const all = ["bare", "article", "standard"];
    const presets = sampled(all, model.startsWith("bedrock") ? all : ["standard"]);
    const configs = presets.flatMap((preset) => ["--config", preset]);
    const to = ["--model", model, "--base-url", at(server), "--sandbox", "local-unsafe", "--yes", "--out", "job"];
    const bench = await forge(["bench", "demo", "--filter", "greet", ...configs, ...to], { cwd, env });
    expect(server.refusals, bench.stderr).toEqual([]);
    expect(bench.stdout.match(/ 1\/1 /g), bench.stderr).toHaveLength(presets.length);
    expect(bench.code).toBe(0);
    for (const text of filesBelow(join(cwd, "job"))) for (const secret of secrets) expect(text).not.toContain(secret);
    await server.close();
    const replay = await forge(["replay", "job"], { cwd });
    expect(replay.stdout).toMatch(/: exact\s+(\d+)\/\1\n|\b3 runs: 3 exact/);
    expect(replay.code, replay.stderr).toBe(0);
  });
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));
