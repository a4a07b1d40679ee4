import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool as ServerTool,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type Transport,
} from "@modelcontextprotocol/client";
import { DeadlineError } from "../../contract/run-result.ts";
import { InfraError, messageOf } from "../../errors.ts";
import { cleanText } from "../../tools/observe/clean-text.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpServer } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";
import { programTransport, type McpSandbox } from "./program-transport.ts";
import { relayFetch } from "./relay-fetch.ts";

/** To begin and to name its tools. */
const startTimeoutMs = 60_000;
/** More would fill the model's context before it has started. */
const mostTools = 128;

/** Servers that answer, and their tools for the agent. */
export interface McpConnections {
  readonly tools: readonly Tool[];
  /** What servers did during the run that a reader of its record should know, one sentence each: evidence. */
  notes(): readonly string[];
  /** Ends programs and connections; never throws. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly signal: AbortSignal;
  /** Of one server; default 60,000. */
  readonly timeoutMs?: number;
  /** Of one call; default 120,000. */
  readonly callTimeoutMs?: number | undefined;
  /** Whose servers they are, for messages. Default: the task's. */
  readonly whose?: "task" | "configuration";
  /** Names of the tools that are taken; default all. */
  readonly only?: readonly string[] | undefined;
  /** Names that are given already, to which those of these servers are added. */
  readonly taken?: Set<string>;
  readonly redact?: (text: string) => string;
}

/**
 * Starts or reaches every server, each from inside of the sandbox, and asks for its tools. What servers say is hostile: names and texts are cleaned
 * and cut, and whatever they do ends in time.
 * @throws InfraError, lasting, for a server that does not begin as the task says: the task then cannot be worked on as it is meant
 */
export async function connectMcpServers(servers: readonly McpServer[], sandbox: McpSandbox, o: ConnectOptions): Promise<McpConnections> {
  const open: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((one) => one.close().catch(() => undefined)));
  };
  const tools: Tool[] = [];
  const taken = o.taken ?? new Set<string>();
  const notes = new Set<string>();
  try {
    for (const server of servers) {
      const { transport, said } = transportOf(server, sandbox);
      const client = new Client({ name: "forge", version: "1" }, { jsonSchemaValidator: noValidator, listMaxPages: 16 });
      client.onerror = () => undefined;
      open.push({ close: () => endOf(client, transport) });
      const found = taking(server.name, await begin(server, client, transport, { ...o, said }), o);
      for (const tool of found)
        tools.push(
          mcpTool(
            { client, server: server.name, tool, said, outside: o.whose === "configuration", timeoutMs: o.callTimeoutMs, redact: o.redact },
            taken,
          ),
        );
      let closing = false;
      open.push({ close: async () => void (closing = true) });
      client.onclose = () => {
        if (!closing && open.length > 0) notes.add(`The MCP server "${server.name}" ended during the run: ${oneLine(said(), o)}.`);
      };
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        notes.add(`The MCP server "${server.name}" announced other tools during the run; the run kept those that it began with.`);
      });
    }
    return { tools, notes: () => [...notes], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a server says of its results is not held against it: its schemas are as hostile as the rest. */
const noValidator: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined }); // nothing rests on its type: results are read part by part
  },
};

async function begin(
  { name }: McpServer,
  client: Client,
  transport: Transport,
  o: ConnectOptions & { readonly said: () => string },
): Promise<ServerTool[]> {
  const timeout = o.timeoutMs ?? startTimeoutMs;
  const late = AbortSignal.timeout(timeout);
  const options = { signal: AbortSignal.any([o.signal, late]), timeout, maxTotalTimeout: timeout };
  let gone = (_: Error): void => undefined;
  const ended = new Promise<never>((_, reject) => (gone = reject));
  ended.catch(() => undefined);
  try {
    const listed = async (): Promise<ServerTool[]> => {
      await client.connect(transport, options);
      client.onclose = () => gone(new Error("it ended"));
      return (await client.listTools(undefined, options)).tools;
    };
    const asked = listed();
    asked.catch(() => undefined);
    const cut = new Promise<never>((_, reject) => options.signal.addEventListener("abort", () => reject(new Error("aborted"))));
    cut.catch(() => undefined);
    const found = await Promise.race([asked, ended, cut]);
    if (found.length > mostTools) throw new Error(`it has ${found.length} tools, and at most ${mostTools} are taken`);
    return found;
  } catch (error) {
    // The agent's time is over before its tools are there: the servers' fault, not the agent's.
    if (o.signal.aborted && !(o.signal.reason instanceof DeadlineError)) throw o.signal.reason;
    const why = o.signal.aborted
      ? "it did not respond within the agent's time"
      : late.aborted
        ? `it did not respond within ${timeout} ms`
        : messageOf(error);
    throw cannotUse(name, [why, o.said()].filter((one) => one !== "").join("; "), o);
  }
}

const oneLine = (text: string, { redact = (same: string): string => same }: ConnectOptions): string =>
  redact(cleanText(text)).replaceAll(/\s+/g, " ").slice(0, 600);

function cannotUse(name: string, why: string, o: ConnectOptions): InfraError {
  const whose = o.whose === "configuration" ? ["configuration", `mcp.${name} of the configuration`] : ["task", "the task's environment"];
  return new InfraError(
    `The ${whose[0]}'s MCP server ${JSON.stringify(name.slice(0, 80))} cannot be used: ${oneLine(why, o)}. Correct ${whose[1]}.`,
    { lasting: true },
  );
}

/** Of a server's tools those that are asked for. */
function taking(name: string, found: readonly ServerTool[], o: ConnectOptions): readonly ServerTool[] {
  if (!o.only) return found;
  const gone = o.only.find((wanted) => !found.some((tool) => tool.name === wanted));
  if (gone !== undefined)
    throw cannotUse(name, `it has no tool ${JSON.stringify(gone)}; it has: ${found.map((tool) => tool.name).join(", ") || "none"}`, o);
  return found.filter((tool) => o.only?.includes(tool.name));
}

function transportOf(server: McpServer, sandbox: McpSandbox): { transport: Transport; said: () => string } {
  if (server.transport === "stdio") {
    const transport = programTransport(sandbox, [server.command, ...server.args]);
    return { transport, said: transport.said };
  }
  const url = new URL(server.url);
  let fault = "";
  const fetch = relayFetch(sandbox, {
    onTooMuch(why) {
      fault = why;
      void transport.close().catch(() => undefined);
    },
  });
  const requestInit = { headers: { ...server.headers } };
  const transport: Transport =
    server.transport === "sse"
      ? new SSEClientTransport(url, { fetch, requestInit })
      : new StreamableHTTPClientTransport(url, { fetch, requestInit, reconnectionOptions: noReconnection });
  return { transport, said: () => fault };
}

/** The server would say how soon and how often it is asked again. */
const noReconnection = { maxRetries: 0, initialReconnectionDelay: 1_000, maxReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 1 };

/** A server may be slow to part with. */
async function endOf(client: Client, transport: Transport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, 15_000)));
  const parted = async (): Promise<void> => {
    await client.close();
    await transport.close();
  };
  try {
    await Promise.race([parted(), late]);
  } finally {
    clearTimeout(timer);
  }
}
