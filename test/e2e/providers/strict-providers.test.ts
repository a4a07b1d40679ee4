import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { startStrictAnthropic } from "../../servers/strict/strict-anthropic.ts";
import { startStrictOpenAi } from "../../servers/strict/strict-openai.ts";
import type { StrictServer } from "../../servers/strict-server.ts";
import { sampled } from "../../needs.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder } from "../forge.ts";

afterAll(cleanUp);
let server: StrictServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const efforts = [undefined, "minimal", "low", "medium", "high", "xhigh"] as const;
/** Each preset; least, most and no effort with the one whose middleware changes it. */
const few = { bare: [undefined], article: ["high"], standard: [undefined, "minimal", "xhigh"] } as const;
const arms = (["bare", "article", "standard"] as const).flatMap((preset) =>
  sampled(efforts, few[preset]).map((effort): [file: string, text: string] => [
    `${preset}-${effort ?? "unset"}.yaml`,
    `extends: ${preset}\n${effort ? `model: {effort: ${effort}}\n` : ""}`,
  ]),
);

async function served(): Promise<ServedTask[]> {
  const { tasks } = await loadSuite("demo", { variables: {} });
  return tasks.flatMap(({ name, instruction, plan, metadata: { family, difficulty } }) =>
    plan ? [{ name, instruction, plan, family, difficulty }] : [],
  );
}
const env = { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" };
const providers = [
  { model: "openai/gpt-5-mini", start: startStrictOpenAi, at: (from: StrictServer) => from.url },
  { model: "anthropic/claude-opus-5-5", start: startStrictAnthropic, at: (from: StrictServer) => from.origin },
];

describe.each(providers)("$model, behind a server that refuses what its provider refuses", ({ model, start, at }) => {
  async function bench(files: Record<string, string>, ...more: string[]) {
    server = await start(await served());
    const cwd = emptyFolder(files);
    const configs = Object.keys(files).flatMap((file) => ["--config", file]);
    const to = ["--model", model, "--base-url", at(server), "--sandbox", "local-unsafe", "--yes", "--out", "job"];
    const answer = await forge(["bench", "demo", "--filter", "greet", ...configs, ...to, ...more], { cwd, env });
    return { ...answer, server, job: join(cwd, "job") };
  }

  it("solves a task with every preset and efforts, and is refused nothing", async () => {
    const { stdout, stderr, code, server: strict } = await bench(Object.fromEntries(arms), "--jobs", "4");
    expect(strict.refusals, stderr).toEqual([]);
    expect(stdout.match(/ 1\/1 /g)).toHaveLength(arms.length);
    expect(code).toBe(0);
  });

  it("ends a job at the first refusal of a parameter: one sentence, exit code 2, no second attempt", async () => {
    const odd = model.startsWith("anthropic") ? "thinking: {type: enabled, budget_tokens: 2000}" : "top_p: 0.9";
    const text = `extends: bare\nmodel: {name: ${model}, extra: {${odd}}}\n`;
    const { stderr, code, server: strict, job } = await bench({ "odd.yaml": text }, "--repeats", "5", "--jobs", "1");
    expect(code).toBe(2);
    expect(strict.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(stderr).toContain("answered 400");
    expect(stderr).toMatch(
      model.startsWith("anthropic") ? /"thinking.type.enabled" is not supported/ : /'top_p' is not supported with this model/,
    );
    expect(stderr).toMatch(/Take model\.(effort|topP) \(or .* in model\.extra\) out of the configuration/);
    expect(stderr).not.toContain("\n    at ");
    expect(attemptsIn(job)).toBe(1);
  });
});

describe("an everyday run", () => {
  it("ends at a refused parameter with one sentence, said once, and exit code 2", async () => {
    server = await startStrictOpenAi(await served());
    const cwd = emptyFolder({ "warm.yaml": "extends: bare\nmodel: {name: openai/gpt-5-mini, temperature: 0.3}\n" });
    const to = ["--config", "warm.yaml", "--base-url", server.url, "--yes"];
    const { code, stderr } = await forge(["run", "say hi", ...to], { cwd, env });
    expect(code).toBe(2);
    expect(stderr.match(/'temperature' does not support 0.3/g)).toHaveLength(1);
    expect(stderr).toContain("name a model that takes it. model.temperature is set at warm.yaml:2.\n");
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("sampling for the Messages API", () => {
  it("ends the bench before any trial, with its place in the file", async () => {
    server = await startStrictAnthropic(await served());
    const cwd = emptyFolder({ "warm.yaml": "extends: bare\nmodel:\n  temperature: 0.7\n" });
    const to = ["--model", "anthropic/claude-opus-5-5", "--base-url", server.origin, "--sandbox", "local-unsafe", "--yes"];
    const { code, stderr } = await forge(["bench", "demo", "--filter", "greet", "--config", "warm.yaml", ...to, "--out", "job"], {
      cwd,
      env,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("model.temperature: anthropic/claude-opus-5-5 takes no sampling parameters");
    expect(stderr).toContain("(warm.yaml:3)");
    expect(server.requests).toEqual([]);
    expect(existsSync(join(cwd, "job", "trials"))).toBe(false);
  });
});

const attemptsIn = (job: string): number =>
  readdirSync(join(job, "trials"), { recursive: true }).filter((path) => /attempt-\d+$/.test(String(path))).length;
