import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { startServers, withServerTools } from "../../../harness/extensions/mcp/start-servers.ts";
import { benchSources } from "../../../harness/config/config-source.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { toolSchema } from "../../../harness/tools/tool-schemas.ts";
import { folderWith } from "../config/folder.ts";
import { registry } from "../config/registry.ts";
import { bench } from "../tools/call-tool.ts";

const script = join(import.meta.dirname, "mcp-server.mjs");
const node = JSON.stringify(process.execPath);
const load = async (mcp: string, more = "") => {
  const folder = await folderWith({ "arm.yaml": `mcp:\n  docs: ${mcp}\n${more}` });
  return loadConfig(benchSources({ cwd: folder, config: "arm.yaml", defaultModel: "sim/default" }), registry);
};
const program = (...args: string[]): string => `command: ${node}, args: ${JSON.stringify([script, ...args])}`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function started(mcp: string, env: NodeJS.ProcessEnv = {}) {
  const config = await load(mcp);
  const sandbox = createFixtureSandbox();
  const { servers, redact } = await startServers({ config, sandbox, env, redact: (text) => text });
  open.push(...servers);
  const { call, tools } = bench(sandbox, { tools: servers.flatMap((one) => one.tools), redact });
  return { config, call, schemas: tools.schemas, notes: () => servers.flatMap((one) => one.notes()) };
}

describe("an MCP server of a configuration", () => {
  it("starts on this machine, in the configuration's folder, with the variables it is given and no others", async () => {
    const { config, call, schemas } = await started(`{${program()}, env: {DOCS_KEY: "\${MY_KEY}"}, tools: [say]}`, {
      MY_KEY: "a-secret-value",
      OTHER_KEY: "not-its-business",
    });
    expect(schemas.map(({ name }) => name)).toEqual(["mcp__docs__say"]);
    const { status, text } = await call("mcp__docs__say", { text: "hello" });
    expect(status).toBe("ok");
    expect(text).toContain(`hello in ${config.mcp?.[0]?.folder}, keys ██████████████ undefined`);
    expect(schemas[0]?.description).toBe("Says what it is given. Key: ██████████████");
    expect(JSON.stringify(config.mcp)).toContain("${MY_KEY}");
  });

  it("is reached by HTTP from this machine, with its headers", async () => {
    const child = spawn(process.execPath, [script, "http"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${port.toString().trim()}/mcp`;
    const { call } = await started(`{url: "${url}", headers: {Authorization: "Bearer \${MY_KEY}"}}`, { MY_KEY: "a-secret-value" });
    expect((await call("mcp__docs__say", { text: "hi" })).text).toMatch(/hi in .* authorized Bearer ██████████████/s);
    const flood = await call("mcp__docs__flood");
    expect(flood).toMatchObject({ status: "ok" });
    expect(flood.text.length).toBeLessThan(31_000);
  });

  it("that dies, hangs, floods, lies or changes its tools costs one call, and the run's record says so", async () => {
    const { call, schemas, notes } = await started(`{${program()}}`);
    expect(schemas.find(({ name }) => name === "mcp__docs__lie")?.parameters).toEqual({
      type: "object",
      properties: {},
      additionalProperties: true,
    });
    const hurried = await started(`{${program()}, timeoutMs: 300}`);
    expect(await hurried.call("mcp__docs__hang")).toMatchObject({ status: "timeout", error: "timeout" });
    expect(await call("mcp__docs__change")).toMatchObject({ status: "ok" });
    expect(notes()).toEqual(['The MCP server "docs" announced other tools during the run; the run kept those that it began with.']);
    expect((await call("mcp__docs__flood")).text).toContain("it sent a message of more than 10485760 bytes");
    expect(await call("mcp__docs__say")).toMatchObject({ status: "error", error: "server_failed" });
    expect(notes()[1]).toBe('The MCP server "docs" ended during the run: it sent a message of more than 10485760 bytes.');
    const other = await started(`{${program()}}`);
    expect(await other.call("mcp__docs__die")).toMatchObject({ status: "error", error: "server_failed" });
    expect(other.notes()).toEqual(['The MCP server "docs" ended during the run: it has ended.']);
  });

  it.each([
    [
      `{${program("refuse")}, env: {DOCS_KEY: "\${MY_KEY}"}}`,
      /^The configuration's MCP server "docs" cannot be used: .*no such key ██████████████.* Correct mcp\.docs of the configuration\.$/,
    ],
    [`{${program("broken")}}`, /cannot be used: Invalid result for tools\/list: .* Correct mcp\.docs of the configuration\.$/],
    ["{command: /no/such/program}", /cannot be used: .*no\/such\/program/],
    [`{${program()}, tools: [say, sing]}`, /cannot be used: it has no tool "sing"; it has: say, die, hang, flood, change, lie/],
    ['{url: "http://127.0.0.1:9/mcp"}', /cannot be used: /],
    [
      `{${program()}, env: {DOCS_KEY: "\${NOT_SET}"}}`,
      /^mcp\.docs\.env\.DOCS_KEY: the environment variable NOT_SET is not set; set it, or take the key out\.$/,
    ],
  ])("that does not begin is one sentence: %s", async (mcp, message) => {
    await expect(started(mcp, { MY_KEY: "a-secret-value" })).rejects.toThrow(message);
  });

  it("is explained in the prompt where calls are text", async () => {
    const config = await load(`{${program()}}`, "model: {protocol: text}");
    const tools = [
      toolSchema({
        name: "mcp__docs__say",
        description: "Says.",
        parameters: z.strictObject({}),
        readOnly: false,
        run: async () => ({ status: "ok", content: [] }),
      }),
    ];
    const section = { name: "protocol", text: "" };
    expect(withServerTools({ ...config, system: [section] }, tools).system[0]?.text).toContain("- mcp__docs__say {");
    expect(withServerTools({ ...config, system: [section], ownPrompt: ["protocol"] }, tools).system).toEqual([section]);
  });
});

describe("mcp in a configuration", () => {
  it("joins the harness hash by how a server is begun, not by where the file is", async () => {
    const [one, again, other, none] = await Promise.all(
      ["{command: a}", "{command: a}", "{command: b}", "{command: a, off: true}"].map((mcp) => load(mcp)),
    );
    expect(again?.hash).toBe(one?.hash);
    expect(other?.hash).not.toBe(one?.hash);
    expect(none?.mcp).toBeUndefined();
  });

  it.each([
    ["{}", /^mcp\.docs: expected either "command", a program .*, or "url", a server reached by HTTP \(arm\.yaml:2\)$/],
    ["{command: a, url: 'http://b'}", /^mcp\.docs: expected either/],
    ["{command: a, headers: {x: y}}", /^mcp\.docs\.headers: belongs to a server with "url"; take it out/],
    ["{url: 'http://b', args: [x]}", /^mcp\.docs\.args: belongs to a server with "command"; take it out/],
    ["{url: 'ftp://b'}", /^mcp\.docs\.url: expected/],
    ["{comand: a}", /^mcp\.docs\.comand: unknown key, did you mean "command"\?/],
    [
      "{command: a, env: {API_KEY: hunter2}}",
      /^mcp\.docs\.env\.API_KEY: holds a secret, and a configuration is recorded; write "\$\{API_KEY\}" and set that variable in your environment \(arm\.yaml:2\)$/,
    ],
    ["{url: 'http://b', headers: {Authorization: Bearer abc}}", /^mcp\.docs\.headers\.Authorization: holds a secret/],
    ["{url: 'http://me:pass@b/'}", /^mcp\.docs\.url: holds a secret/],
    ["{command: a, args: [ghp_abcdefghijklmnopqrstuvwxyz]}", /^mcp\.docs\.args: holds a secret/],
    ["{command: a, timeoutMs: 0}", /^mcp\.docs\.timeoutMs: expected/],
  ])("that cannot be taken is one sentence with its place: %s", async (mcp, message) => {
    await expect(load(mcp)).rejects.toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringMatching(message) }));
  });
});
