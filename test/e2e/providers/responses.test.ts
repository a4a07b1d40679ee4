import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ServedTask } from "../../../harness/models/simulated/server/served-tasks.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { scriptOf } from "../../servers/responses-script.ts";
import { startStrictResponses, type StrictResponses } from "../../servers/strict/strict-responses.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder } from "../forge.ts";

afterAll(cleanUp);
let server: StrictResponses | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const env = { OPENAI_API_KEY: "key" };
const served = async (): Promise<ServedTask[]> =>
  (await loadSuite("demo", { variables: {} })).tasks.flatMap(({ name, instruction, plan, metadata: { family, difficulty } }) =>
    plan ? [{ name, instruction, plan, family, difficulty }] : [],
  );
const itemsOf = (from: StrictResponses, at: number): Record<string, unknown>[] =>
  from.requests.at(at)?.body["input"] as Record<string, unknown>[]; // the requests of a test are its own

describe("a run over OpenAI's Responses API", () => {
  it("does its task with parallel calls and returned reasoning, and its trace replays exactly", async () => {
    server = await startStrictResponses();
    const cwd = emptyFolder({ "README.md": "x" });
    const bash = (command: string) => ({ name: "bash", args: { command } });
    const calls = [bash("echo one > one.txt"), bash("echo two > two.txt")];
    const task = scriptOf({ text: "Both at once.", calls }, { calls: [{ name: "bash", args: '{ "command": "cat one.txt two.txt" }' }] });
    const to = ["--config", "bare", "--model", "openai/gpt-6.2-sol", "--base-url", server.url, "--sandbox", "local", "--yes"];
    const answer = await forge(["run", task, ...to, "--json"], { cwd, env });
    expect(answer.code, answer.stderr).toBe(0);
    expect(server.refusals).toEqual([]);
    expect(server.altered).toEqual([]);
    expect(itemsOf(server, -1).filter(({ type }) => type === "reasoning")).toMatchObject([
      { encrypted_content: "gAAAA-1" },
      { encrypted_content: "gAAAA-2" },
    ]);
    const replay = await forge(["replay", ".forge/runs"], { cwd });
    expect(replay.stdout, replay.stderr).toMatch(/exact/);
    expect(replay.code).toBe(0);
  });

  it("solves a task at every effort of the model, and a run that goes on live from its trace returns the recorded reasoning", async () => {
    server = await startStrictResponses(await served());
    const arms = ["none", "low", "high", "max"].map((effort) => `${effort}.yaml`);
    const model = (effort: string) => `extends: bare\nmodel: {name: openai/gpt-5.6, baseUrl: "${server?.url}", effort: ${effort}}\n`;
    const cwd = emptyFolder(Object.fromEntries(arms.map((file) => [file, model(file.replace(".yaml", ""))])));
    const configs = arms.flatMap((file) => ["--config", file]);
    const to = ["--sandbox", "local-unsafe", "--yes", "--out", "job", "--jobs", "2"];
    const bench = await forge(["bench", "demo", "--filter", "greet", ...configs, ...to], { cwd, env });
    expect(server.refusals, bench.stderr).toEqual([]);
    expect(bench.stdout.match(/ 1\/1 /g)).toHaveLength(arms.length);
    expect(bench.stderr).not.toMatch(/Chat Completions|are the same/);
    expect(server.altered).toEqual([]);
    expect(await forge(["replay", "job"], { cwd, env })).toMatchObject({ code: 0, stdout: expect.stringMatching(/4 exact/) as string });

    const before = server.requests.length;
    const live = await forge(
      ["replay", "live", "--config", "high.yaml", "--from", "2", join("job", "trials", "greet", "high", "1", "attempt-1"), "--yes"],
      {
        cwd,
        env,
      },
    );
    expect(live.code, live.stderr).toBe(0);
    expect(server.requests.length).toBeGreaterThan(before);
    expect(server.refusals).toEqual([]);
    expect(server.altered).toEqual([]);
    const first = server.requests[before]?.body["input"] as Record<string, unknown>[];
    expect(first.some(({ type, encrypted_content }) => type === "reasoning" && typeof encrypted_content === "string")).toBe(true);
  });
});
