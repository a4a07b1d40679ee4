import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadUserTool } from "../../harness/config/tools/load-user-tool.ts";
import { toolFaults } from "../../testing.ts";
import { forgeHere } from "../cli/forge-here.ts";
import { needs, sampled } from "../needs.ts";
import { startModelServer, type ModelServer } from "../servers/model-server.ts";
import type { ScriptedReply } from "../servers/scripted-reply.ts";
import { built, cleanUp, emptyFolder, forge, jsonLines } from "./forge.ts";

const examples = join(import.meta.dirname, "../../examples");

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(cleanUp);

const findSymbol = readFileSync(join(examples, "find-symbol.ts"), "utf8");

/** A folder with the example tool in a configuration, a model that calls it, and a home of its own. */
async function calling(protocol: "native" | "text", replies: readonly ScriptedReply[], started: typeof forgeHere = forgeHere) {
  server = await startModelServer({ replies, always: () => ({ text: "DONE" }) });
  const folder = emptyFolder({
    "tools/find-symbol.ts": findSymbol,
    "src/a.js": "export const total = 1;\nconst subtotal = 2;\n",
    "mine.yaml": `extends: bare\nmodel: {name: openai/gpt, baseUrl: "${server.url}", protocol: ${protocol}}\ntools: [bash, ./tools/find-symbol.ts]\n`,
  });
  const env = { HOME: emptyFolder(), OPENAI_API_KEY: "key-of-the-user" };
  return { folder, call: (...args: string[]) => started(args, { cwd: folder, env }) };
}
const find = { name: "find_symbol", args: { name: "total" } };
const textual = (call: { name: string; args: object }): ScriptedReply => ({
  text: `\`\`\`json\n${JSON.stringify({ tool: call.name, args: call.args })}\n\`\`\``,
});

it("the example tool keeps the contract of tools", async () => {
  const { definition } = await loadUserTool("./find-symbol.ts", examples);
  expect(await toolFaults(definition, { args: { name: "total" }, exec: () => "./a.js:1:total\n" })).toEqual([]);
});

describe("a tool of the user's own, in a run", () => {
  it.each(
    sampled<readonly ["native" | "text", ScriptedReply]>(
      [
        ["native", { calls: [find] }],
        ["text", textual(find)],
      ],
      [["native", { calls: [find] }]],
    ),
  )("is called with the %s protocol, answers from the workspace, and replays without its file", async (protocol, reply) => {
    const { folder, call } = await calling(protocol, [reply]);
    const run = await call("run", "where is total?", "--config", "mine.yaml", "--sandbox", "local", "--yes", "--json");
    expect(run.code, run.stderr).toBe(0);
    const { run: recorded } = jsonLines(run.stdout).at(-1) as { run: string };
    expect(server?.requests.at(-1)?.text).toContain("./src/a.js:1:export const total = 1;");
    expect(server?.requests.at(-1)?.text).not.toContain("subtotal = 2");

    writeFileSync(join(folder, "tools/find-symbol.ts"), "throw new Error('gone');\n");
    const replay = await call("replay", recorded);
    expect(replay.code, replay.stdout + replay.stderr).toBe(0);
    expect(replay.stdout).toMatch(/exact\s+(\d+)\/\1/);
    const broken = await call("run", "again", "--config", "mine.yaml", "--sandbox", "local", "--yes");
    expect({ code: broken.code, stderr: broken.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: tools\[1\]: .*find-symbol\.ts:1 threw while it was loaded: gone; correct the file \(mine\.yaml:3\)\.?$/m,
      ),
    });
  });
});

describe("an MCP server of a configuration", () => {
  const say = { name: "mcp__docs__say", args: { text: "hello" } };
  const serverFile = join(import.meta.dirname, "../harness/extensions/mcp-server.mjs");

  it.each(
    sampled<readonly ["native" | "text", ScriptedReply]>(
      [
        ["native", { calls: [say] }],
        ["text", textual(say)],
      ],
      [["text", textual(say)]],
    ),
  )("is called with the %s protocol, keeps its key out of the record, and replays without it", async (protocol, reply) => {
    const { folder, call } = await calling(protocol, [reply]);
    copyFileSync(serverFile, join(folder, "server.mjs"));
    const config = `extends: ./mine.yaml\nmcp:\n  docs: {command: ${JSON.stringify(process.execPath)}, args: [server.mjs], env: {DOCS_KEY: "\${OPENAI_API_KEY}"}}\n`;
    writeFileSync(join(folder, "with-mcp.yaml"), config);
    const run = await call("run", "say hello", "--config", "with-mcp.yaml", "--sandbox", "local", "--yes", "--json");
    expect(run.code, run.stderr).toBe(0);
    const { run: recorded } = jsonLines(run.stdout).at(-1) as { run: string };
    const sent = server?.requests.at(-1)?.text ?? "";
    expect(sent).toContain(`hello in ${folder}`);
    expect(sent).toContain("mcp__docs__lie");
    expect(sent + readFileSync(join(recorded, "trace.jsonl"), "utf8")).not.toContain("key-of-the-user");

    rmSync(join(folder, "server.mjs"));
    const replay = await call("replay", recorded);
    expect(replay.stdout + replay.stderr).toMatch(/exact\s+(\d+)\/\1/);
    const gone = await call("run", "say hello", "--config", "with-mcp.yaml", "--sandbox", "local", "--yes");
    expect({ code: gone.code, stderr: gone.stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/The configuration's MCP server "docs" cannot be used: .*MODULE_NOT_FOUND/),
    });
  });

  it("that a repository names is not begun before it is trusted", async () => {
    const { folder, call } = await calling("native", []);
    writeFileSync(join(folder, "forge.yaml"), "extends: ./mine.yaml\ntools: [bash]\nmcp: {docs: {command: touch, args: [ran]}}\n");
    const refused = await call("run", "go", "--sandbox", "local", "--yes");
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /forge\.yaml:3 mcp\.docs: .* names the MCP server "docs", which you have not trusted, so it was not started; .*--trust/,
      ),
    });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    const trusted = await call("run", "go", "--sandbox", "local", "--yes", "--trust");
    expect(trusted.stderr).toContain("trusted from now on: ");
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });
});

describe.skipIf(needs("bubblewrap"))("a tool of the user's own, in a bench", () => {
  beforeAll(built);
  it("works in the trial's sandbox, is carried out again, and a changed one is another configuration", { timeout: 120_000 }, async () => {
    const { folder, call } = await calling("native", [{ calls: [find] }], forge); // what code was run here is remembered by process
    const task = join(examples, "tasks", "longest-line");
    const bench = await call("bench", task, "--config", "mine.yaml", "--sandbox", "bubblewrap", "--yes", "--out", "job", "--json");
    expect(bench.code, bench.stderr).toBe(0);
    expect(server?.requests[1]?.text).toContain("No file in . has the word total.");
    for (const [level, word] of [
      [["replay", "job"], /exact/],
      [["replay", "current", "job"], /nothing has changed since/],
      [["replay", "tools", "job"], /1 call carried out again: 1 exact/],
      [["replay", "dry", "job", "--config", "mine.yaml"], /nothing|0 of 1|same/],
    ] as const) {
      const answer = await call(...level);
      expect(answer.stdout + answer.stderr).toMatch(word);
      expect(answer.code, answer.stdout + answer.stderr).toBe(0);
    }
    writeFileSync(join(folder, "tools/find-symbol.ts"), findSymbol.replace("Lists the places", "Lists all places"));
    const current = await call("replay", "current", "job", "--trust");
    expect(current.stdout + current.stderr).toContain("changed since: schema of the tool find_symbol; sources of the tool find_symbol");
    const refused = await call("replay", "tools", "job");
    expect(refused.stderr).toMatch(
      /The tool .*find-symbol\.ts \(source hash [0-9a-f]{12}\) has changed or is gone; restore the file, or use --trust/,
    );
    const trusted = await call("replay", "tools", "job", "--trust");
    expect(trusted.stdout).toContain("1 call carried out again: 1 exact");
    const other = await call("bench", task, "--config", "mine.yaml", "--sandbox", "bubblewrap", "--yes", "--out", "job");
    expect({ code: other.code, stderr: other.stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining("tool find_symbol") });
  });
});
