import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectMcpServers, type McpConnections } from "../../../harness/extensions/mcp/connect-servers.ts";
import type { McpServer } from "../../../harness/extensions/mcp/mcp-server.ts";
import { createPolicy } from "../../../harness/policy/policy.ts";
import { baseImage } from "../../../harness/sandbox/docker/image/base-image.ts";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { createTools } from "../../../harness/tools/registry.ts";
import { needs } from "../../needs.ts";

const stdio = (mode: string, name = "my server"): McpServer => ({
  name,
  transport: "stdio",
  command: "python3",
  args: ["/srv/mcp-servers.py", "stdio", mode],
});

describe.skipIf(needs("docker"))("a task's MCP servers", { timeout: 120_000 }, () => {
  const { signal } = new AbortController();
  let sandbox: Sandbox;
  const open: McpConnections[] = [];
  beforeAll(async () => {
    sandbox = await (
      await createDockerProvider().prepare({ name: "mcp", image: baseImage, workdir: "/srv" })
    ).create({ labels: { job: `mcp-${process.pid}` } });
    await sandbox.writeFile("/srv/mcp-servers.py", await readFile(new URL("mcp-servers.py", import.meta.url)));
  });
  afterAll(async () => {
    for (const one of open) await one.close();
    await sandbox.close();
  });
  const connect = async (server: McpServer, timeoutMs?: number) => {
    const connections = await connectMcpServers([server], sandbox, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    open.push(connections);
    const tools = createTools({
      tools: connections.tools,
      sandbox,
      policy: createPolicy({ mode: "bypass", confined: true }),
      user: { ask: async () => undefined },
      clock: { now: () => Date.now(), sleep: async () => undefined },
    });
    const call = async (name: string, args = {}, stop = signal) => {
      const context = {
        lane: "main/1.1",
        turn: 1,
        signal: stop,
        earlier: Promise.resolve(),
        emit: () => undefined,
        spawn: async () => ({}),
      };
      const { status, content, error } = await tools.call({ id: "1", name, args }, context);
      return { status, error, text: content.map((part) => (part.type === "text" ? part.text : part.mediaType)).join("\n") };
    };
    return { connections, tools, call };
  };
  const running = async () => Number(Buffer.from((await sandbox.exec("pgrep -fc '[m]cp-servers.py stdio'")).stdout).toString());

  it("give their tools under clean names, work inside of the container, and end with the run", async () => {
    const { connections, tools, call } = await connect(stdio("chatty"));
    expect(tools.schemas.map(({ name }) => name)).toEqual([
      "mcp__my_server__get_secret",
      "mcp__my_server__fail",
      "mcp__my_server__hang",
      "mcp__my_server__die",
      "mcp__my_server__flood",
    ]);
    expect(tools.schemas[0]).toMatchObject({ description: "Returns a secret.", parameters: { properties: { n: { type: "integer" } } } });
    expect(tools.schemas[1]?.description).toBe("The tool fail of the server my_server.");
    expect(JSON.stringify(tools.schemas[4]).length).toBeLessThan(3_000);
    expect(await call("mcp__my_server__get_secret", { n: 1 })).toMatchObject({
      status: "ok",
      text: expect.stringContaining("secret {'n': 1} in /srv as 0"),
    });
    expect(await call("mcp__my_server__fail")).toMatchObject({
      status: "error",
      error: "tool_failed",
      text: expect.stringContaining("it went wrong"),
    });
    const flood = await call("mcp__my_server__flood");
    expect(flood.text.length).toBeLessThan(40_000);
    expect(await running()).toBe(1);
    await connections.close();
    expect(await running()).toBe(0);
  });

  it("that die during the run are answers, and calls that hang end with their signal", async () => {
    const { call } = await connect(stdio("plain"));
    await expect(call("mcp__my_server__hang", {}, AbortSignal.timeout(500))).rejects.toMatchObject({ name: "TimeoutError" });
    const again = await connect(stdio("plain"));
    expect(await again.call("mcp__my_server__die")).toMatchObject({
      status: "error",
      error: "server_failed",
      text: expect.stringContaining("gave no result"),
    });
    expect(await again.call("mcp__my_server__get_secret")).toMatchObject({ status: "error", error: "server_failed" });
  });

  it.each([
    ["silent", /did not respond within 2000 ms/],
    ["dies", /no such luck/],
    ["garbage", /prints something other than messages of the protocol/],
    ["endless", /a message of more than 10485760 bytes/],
  ])("that begin as %s cost the task its run, with the reason and no process left", async (mode, why) => {
    await expect(connect(stdio(mode), mode === "silent" ? 2_000 : undefined)).rejects.toMatchObject({
      name: "InfraError",
      lasting: true,
      message: expect.stringMatching(why) as string,
    });
    await expect(connect({ ...stdio("x"), command: "/no/such/program" } as McpServer)).rejects.toThrow(
      /cannot be used: .*no\/such\/program/,
    );
    expect(await running()).toBe(1); // the one whose call hangs above
  });

  it("are reached by HTTP as from inside of the container, which has no network here", async () => {
    void sandbox.exec("python3 /srv/mcp-servers.py http 8765", { timeoutMs: 100_000 }).catch(() => undefined);
    await sandbox.exec(
      "for i in $(seq 50); do python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 8765))' && break; sleep 0.1; done",
    );
    const { call } = await connect({
      name: "web",
      transport: "streamable-http",
      url: "http://localhost:8765/mcp",
      headers: { "x-key": "k1" },
    });
    expect(await call("mcp__web__get_secret")).toMatchObject({
      status: "ok",
      text: expect.stringMatching(/secret[^]*host localhost:8765, key k1/) as string,
    });
    expect((await call("mcp__web__flood")).text.length).toBeLessThan(40_000);
    await expect(connect({ name: "nowhere", transport: "streamable-http", url: "http://localhost:1/mcp", headers: {} })).rejects.toThrow(
      /"nowhere" cannot be used/,
    );
  });
});
