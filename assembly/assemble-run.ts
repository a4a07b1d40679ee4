import { runAgent } from "../harness/agent/run-agent.ts";
import type { Clock, Model, Ports, Tools, User } from "../harness/contract/ports.ts";
import type { ResolvedConfig } from "../harness/contract/resolved-config.ts";
import type { AgentInput, RunResult } from "../harness/contract/run-result.ts";
import { createToolFiles } from "../harness/config/tools/create-tool-files.ts";
import type { ImportedTool } from "../harness/config/tools/load-user-tool.ts";
import type { RunEvent } from "../harness/events/schema.ts";
import type { McpServer } from "../harness/extensions/mcp/mcp-server.ts";
import { startServers, withServerTools } from "../harness/extensions/mcp/start-servers.ts";
import type { JsonObject } from "../harness/json.ts";
import { virtualClock, micros, randomPort, systemClock } from "../harness/system-ports.ts";
import { createPolicy, type PolicyMode } from "../harness/policy/policy.ts";
import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { createTools, type ToolSet } from "../harness/tools/registry.ts";
import { pickTools } from "../harness/tools/tool-schemas.ts";
import type { Tool } from "../harness/tools/tool.ts";
import { userTool } from "../harness/tools/user-tool.ts";
import { recordTrace } from "../traces/record/record-trace.ts";
import type { TraceRecorder } from "../traces/record/trace-writer.ts";
import { assembleMiddleware } from "./registry.ts";

export interface ToolsRequest {
  readonly names: readonly string[];
  /** Of these, the user's own. */
  readonly files?: readonly ImportedTool[];
  readonly sandbox: Sandbox;
  /** `root`: file tools refuse every path outside of it. */
  readonly policy: { readonly mode: PolicyMode; readonly root?: string };
  readonly user: User;
  readonly redact: (text: string) => string;
  readonly snapshots: boolean;
  /** What one call may take at most, milliseconds. */
  readonly maxTimeoutMs?: number | undefined;
  /** Of the configuration: which form of the tools it offers. Default 1. */
  readonly loop?: 1 | 2 | undefined;
  readonly clock?: Clock;
}

/** The tools of a run, or of one that was recorded, in a sandbox: in the order of `names`, then those that nothing names. */
export function assembleTools(o: ToolsRequest, more: readonly Tool[] = []): ToolSet {
  const { names, files = [], maxTimeoutMs, loop, policy, sandbox, user, redact, snapshots, clock = systemClock } = o;
  const own = files.map(({ definition, placeOf }) => userTool(definition, { maxTimeoutMs, placeOf }));
  const isOwn = (name: string): boolean => own.some((tool) => tool.name === name);
  const builtin = pickTools(
    names.filter((name) => !isOwn(name)),
    { loop, ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }) },
  );
  const named = names.flatMap((name) => [...own, ...builtin].find((tool) => tool.name === name) ?? []);
  const tools = [...named, ...more];
  return createTools({
    tools,
    sandbox,
    policy: createPolicy({ ...policy, confined: sandbox.kind !== "local" }),
    user,
    clock,
    redact,
    snapshots,
  });
}

export interface RunRequest extends Omit<ToolsRequest, "names" | "files" | "snapshots" | "loop"> {
  readonly config: ResolvedConfig;
  readonly model: Model;
  /** New, or existing and empty; becomes the run's: `trace.jsonl`, `blobs/`, `seal.json`. */
  readonly folder: string;
  /** Given to the provider as sampling seed and to the random port; left out: no provider gets one, and each run draws other numbers. */
  readonly seed?: number;
  /** In place of the harness' own tools that the configuration names. */
  readonly ownTools?: readonly Tool[];
  /** Servers inside of the sandbox whose tools the agent has beside its own, and those of the configuration. */
  readonly servers?: readonly McpServer[];
  /** Aborts the start of the servers. */
  readonly signal?: AbortSignal;
  /** Of variables that servers of the configuration are given. */
  readonly env?: NodeJS.ProcessEnv;
  /** Wraps the tools, between the loop and what carries the calls out. */
  readonly aroundTools?: (tools: Tools) => Tools;
  /** Every event as the loop emits it, after it went to the recorder. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Hears the model's text as it arrives. */
  readonly onText?: NonNullable<Ports["sink"]["text"]>;
}

export interface AssembledRun {
  /** Open until it is sealed or closed, which is the caller's to do. */
  readonly trace: TraceRecorder;
  /** One run of the agent; how it ended is in `outcome`. `ports`: to use in place of the real ones, which it may ask. */
  run(
    input: AgentInput,
    o: { readonly signal: AbortSignal; readonly meta: JsonObject; readonly ports?: (real: Ports) => Ports },
  ): Promise<RunResult>;
  /** Ends background shells and servers; sandbox and trace stay open. */
  close(): Promise<void>;
}

/** The parts of one recorded run, made and wired: the same for a trial, an everyday run and a run that goes on from another. */
export async function assembleRun(o: RunRequest): Promise<AssembledRun> {
  const { config, model, sandbox, user, seed, clock = systemClock, onEvent, onText } = o;
  const middleware = await assembleMiddleware(config, { trust: true });
  const files = o.ownTools ? [] : await createToolFiles(config, { trust: true });
  const { servers, redact } = await startServers(o);
  const names = o.ownTools ? [] : config.tools.map((tool) => tool.name);
  const tools = assembleTools({ ...o, redact, names, files, loop: config.loop, snapshots: config.snapshots !== false }, [
    ...(o.ownTools ?? []),
    ...servers.flatMap((one) => one.tools),
  ]);
  const trace = recordTrace(o.folder, { clock, micros });
  const ports: Ports = {
    model,
    tools: o.aroundTools?.(tools) ?? tools,
    sandbox,
    // Nobody has to wait for a service that is made up.
    clock: model.identity.simulated === true ? virtualClock(clock) : clock,
    random: randomPort(seed ?? Date.now()),
    user,
    redact,
    sink: {
      flush: () => trace.flush(),
      ...(onText && { text: onText }),
      emit(event) {
        trace.emit(event);
        onEvent?.(event);
      },
    },
  };
  const own = servers.length > 0 ? withServerTools(config, tools.schemas) : config;
  return {
    trace,
    async run(input, { signal, meta, ports: among }) {
      const result = await runAgent(own, among?.(ports) ?? ports, input, {
        middleware,
        signal,
        meta,
        ...(seed === undefined ? {} : { seed }),
      });
      for (const text of servers.flatMap((one) => one.notes())) trace.evidence("note", { text });
      return result;
    },
    async close() {
      await tools.close();
      await Promise.all(servers.map((one) => one.close()));
    },
  };
}
