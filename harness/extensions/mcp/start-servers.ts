import type { ToolSchema } from "../../contract/messages.ts";
import type { ResolvedConfig } from "../../contract/resolved-config.ts";
import type { ConnectOptions, McpConnections } from "./connect-servers.ts";
import type { McpServer } from "./mcp-server.ts";
import { protocolPrompt } from "../../models/protocols/text-prompts.ts";
import { plainEnvironment } from "../../sandbox/local/local-provider.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { createRedactor } from "../../secrets/redact-text.ts";

/** A machine under load begins a program slowly, however short its calls are. */
const shortestStartMs = 60_000;

interface ServersRequest {
  readonly config: ResolvedConfig;
  readonly sandbox: Sandbox;
  /** The task's, inside of the sandbox. */
  readonly servers?: readonly McpServer[];
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  readonly redact: (text: string) => string;
}

/**
 * Begins the servers of a task, inside of its sandbox, and those of the configuration, on this machine. The library that speaks to them is loaded for a
 * run that has some. All have ended again where one throws.
 * @returns `redact`: also takes out the variables that were given to servers
 */
export async function startServers(
  o: ServersRequest,
): Promise<{ readonly servers: readonly McpConnections[]; readonly redact: (text: string) => string }> {
  const { config, sandbox, servers = [], signal = new AbortController().signal, env = process.env } = o;
  if (servers.length === 0 && config.mcp === undefined) return { servers: [], redact: o.redact };
  const [{ connectMcpServers }, { readyServers }, { programsHere }] = await Promise.all([
    import("./connect-servers.ts"),
    import("./configured-servers.ts"),
    import("./programs-here.ts"),
  ]);
  const { ready, secrets } = readyServers(config.mcp ?? [], env);
  const given = createRedactor({ secrets, shapes: false, urls: false });
  const redact = (text: string): string => given(o.redact(text));
  const shared: ConnectOptions = { signal, taken: new Set<string>(), redact };
  const open: McpConnections[] = [];
  try {
    if (servers.length > 0) open.push(await connectMcpServers(servers, sandbox, shared));
    for (const { server, env: own, folder, only, timeoutMs } of ready) {
      const here = programsHere({ env: { ...plainEnvironment(env), ...own }, cwd: folder });
      const times = timeoutMs === undefined ? {} : { timeoutMs: Math.max(timeoutMs, shortestStartMs), callTimeoutMs: timeoutMs };
      open.push(await connectMcpServers([server], here, { ...shared, whose: "configuration", only, ...times }));
    }
    return { servers: open, redact };
  } catch (error) {
    await Promise.all(open.map((one) => one.close()));
    throw error;
  }
}

/** The configuration with what servers offer: known when they have started. A protocol that explains the tools in the prompt explains these too. */
export function withServerTools(config: ResolvedConfig, tools: readonly ToolSchema[]): ResolvedConfig {
  const explains = config.model.protocol === "text" && config.ownPrompt?.includes("protocol") !== true;
  const system = config.system.map((section) =>
    explains && section.name === "protocol" ? { ...section, text: protocolPrompt(tools) } : section,
  );
  return { ...config, system, tools };
}
