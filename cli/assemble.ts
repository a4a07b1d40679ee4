import type { Clock, Model, ModelIdentity, Ports } from "../harness/agent/ports.ts";
import type { AnyMiddleware } from "../harness/agent/middleware.ts";
import { runAgent } from "../harness/agent/run-agent.ts";
import { createSystemPrompt } from "../harness/agent/prompts/system.ts";
import type { ConfigRegistry } from "../harness/config/config-registry.ts";
import { createMiddleware } from "../harness/config/create-middleware.ts";
import { isSimulated } from "../harness/config/is-simulated.ts";
import type { ResolvedConfig } from "../harness/config/resolved.ts";
import type { RunEvent } from "../harness/events/schema.ts";
import { createAccountGates, type AccountGates, type AccountPause } from "../harness/models/account-gates.ts";
import { createModel } from "../harness/models/create-model.ts";
import { protocolPrompt } from "../harness/models/protocols/text-prompts.ts";
import { createNopModel } from "../harness/models/scripted/nop-model.ts";
import { createOracleModel } from "../harness/models/scripted/oracle-model.ts";
import { createCommandModel } from "../harness/models/scripted/command-model.ts";
import { createSimulatedModel, simulatedIdentity, type SimulatedOptions } from "../harness/models/simulated/simulated-model.ts";
import { virtualClock } from "../harness/models/simulated/virtual-clock.ts";
import { createPolicy } from "../harness/policy/policy.ts";
import type { SandboxProvider } from "../harness/sandbox/provider.ts";
import type { SandboxKind } from "../harness/sandbox/sandbox.ts";
import type { McpConnections } from "../harness/extensions/mcp/connect-servers.ts";
import { pickTools, toolNames, toolSchemas } from "../harness/tools/tool-schemas.ts";
import { createTools } from "../harness/tools/registry.ts";
import type { BenchPorts, TrialRun, TrialRunRequest } from "../evals/bench-ports.ts";
import { agentName } from "../evals/trial-key.ts";
import { sandboxKindSchema } from "../evals/trial-record.ts";
import { presets } from "../middleware/presets/presets.ts";
import { builtinMiddleware } from "../middleware/registry.ts";
import { recordTrace } from "../traces/record/record-trace.ts";
import { loadAtOnce } from "./load-at-once.ts";
import { redactorFor } from "./redactor-for.ts";
import { micros, nobody, randomPort, systemClock } from "./system-ports.ts";
import { trustedLoader } from "./trust-code.ts";
import { trustStore } from "./trust-store.ts";
import { forgeVersion } from "./version.ts";

/** Everything a configuration may name. Of code that a repository names, only what was trusted before. */
export const configRegistry: ConfigRegistry = {
  presets,
  middleware: builtinMiddleware,
  tools: { names: toolNames, schemas: toolSchemas },
  loadUserMiddleware: trustedLoader({ store: trustStore(), user: nobody, trust: false }),
  basePrompt: ({ tools, protocol }) => [
    ...createSystemPrompt({ tools }),
    ...(protocol === "text" ? [{ name: "protocol", text: protocolPrompt(tools) }] : []),
  ],
};

/** The middlewares of a configuration, outermost first. `trust`: a user's file that changed or is gone is taken from the trace. */
export function assembleMiddleware(config: Pick<ResolvedConfig, "middleware">, o: { trust: boolean }): Promise<AnyMiddleware[]> {
  return createMiddleware(config, builtinMiddleware, o);
}

/** One provider of each kind for the length of the process. */
export function sandboxProviders(o: { readonly dockerHosts?: readonly string[] } = {}): (kind: SandboxKind) => Promise<SandboxProvider> {
  const made = new Map<SandboxKind, Promise<SandboxProvider>>();
  const make = async (kind: SandboxKind): Promise<SandboxProvider> => {
    if (kind === "docker" && o.dockerHosts && o.dockerHosts.length > 0)
      return (await import("../harness/sandbox/docker/docker-hosts.ts")).createDockerHosts(o.dockerHosts);
    if (kind === "docker") loadAtOnce(import.meta.url, "../harness/sandbox/docker/docker-provider.js");
    if (kind === "docker") return (await import("../harness/sandbox/docker/docker-provider.ts")).createDockerProvider();
    if (kind === "bubblewrap") return (await import("../harness/sandbox/bubblewrap/bubblewrap-provider.ts")).createBubblewrapProvider();
    return (await import("../harness/sandbox/local/local-provider.ts")).createLocalProvider();
  };
  return (kind) => {
    const provider = made.get(kind) ?? make(kind);
    made.set(kind, provider);
    return provider;
  };
}

export interface BenchPortsOptions {
  /** The only kind of sandbox that will be asked for. Default: any may be. */
  readonly sandbox?: SandboxKind;
  readonly dockerHosts?: readonly string[];
  /** What a simulated model is to be in this trial, over what is drawn. */
  readonly simulate?: (trial: TrialRunRequest) => Partial<SimulatedOptions>;
}

/** What a bench needs from outside (`evals/bench-ports.ts`). */
export async function createBenchPorts(env: NodeJS.ProcessEnv, o: BenchPortsOptions = {}): Promise<BenchPorts> {
  const providerOf = sandboxProviders(o);
  const kinds = o.sandbox ? [o.sandbox] : sandboxKindSchema.options;
  const providers = new Map(await Promise.all(kinds.map(async (kind) => [kind, await providerOf(kind)] as const)));
  // All trials of this process share what their account may send.
  const hearers = new Set<(pause: AccountPause) => void>();
  const gate = createAccountGates(systemClock, {
    onPause(pause) {
      for (const hear of hearers) hear(pause);
    },
  });
  return {
    forgeVersion: forgeVersion(),
    clock: systemClock,
    provider(kind) {
      const provider = providers.get(kind);
      if (!provider) throw new Error(`the ports were made for ${o.sandbox} sandboxes, not for ${kind}`);
      return provider;
    },
    identify: (config, agent) => identify(config, agent, env),
    run: (request) => runTrialAgent(request, { env, clock: systemClock, gate, ...(o.simulate && { simulate: o.simulate }) }),
    onProviderPause(hear) {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
  };
}

async function identify(config: ResolvedConfig, agent: TrialRunRequest["agent"], env: NodeJS.ProcessEnv): Promise<ModelIdentity> {
  if (agent !== "configured") return scriptedAgent(agent, 0).identity;
  if (isSimulated(config)) return simulatedIdentity(config.model.name.slice("sim/".length), simulatedProtocol(config));
  return (await createModel(config.model, env, { clock: systemClock })).identity;
}

/** The simulated model plays the trial's own task: its plan arrives as data. */
function simulate(profile: string, config: ResolvedConfig, trial: TrialRunRequest, over: Partial<SimulatedOptions> = {}): Model {
  const { plan, name, metadata } = trial.task;
  const { family, difficulty } = metadata;
  const { seed } = trial;
  return createSimulatedModel({ plan, task: name, seed, family, difficulty, profile, protocol: simulatedProtocol(config), ...over });
}
const simulatedProtocol = ({ model }: ResolvedConfig): "native" | "text" => (model.protocol === "native" ? "native" : "text");

/** Oracle, nop and commands work by themselves: one tool, no middleware, no limit but the task's time. */
function scriptedAgent(agent: Exclude<TrialRunRequest["agent"], "configured">, timeoutMs: number): Model {
  if (agent === "oracle") return createOracleModel({ timeoutMs });
  if (agent === "nop") return createNopModel();
  return createCommandModel({ ...agent, timeoutMs });
}

interface Outside extends Pick<BenchPortsOptions, "simulate"> {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly gate: AccountGates;
}

async function runTrialAgent(o: TrialRunRequest, outside: Outside): Promise<TrialRun> {
  const { env, clock, gate } = outside;
  const redact = redactorFor(env, { trial: { modelAt: o.config.model.baseUrl ?? "", sandbox: o.sandbox.kind } });
  const limits = o.agent === "configured" ? {} : { maxTimeoutMs: o.deadlineMs };
  const scripted = o.agent === "configured" ? undefined : scriptedAgent(o.agent, o.deadlineMs);
  const config: ResolvedConfig =
    o.agent === "configured"
      ? o.config
      : { ...o.config, name: agentName(o.agent), middleware: [], limits: {}, tools: toolSchemas(["bash"]) };
  const model =
    scripted ??
    (await createModel(config.model, env, { clock, gate, simulated: (name) => simulate(name, config, o, outside.simulate?.(o)) }));
  const middleware = await assembleMiddleware(config, { trust: true });
  const policy = createPolicy({ mode: "bypass", confined: true });
  const servers = o.agent === "configured" ? await serversOf(o) : undefined;
  const tools = createTools({
    tools: [
      ...pickTools(
        config.tools.map((tool) => tool.name),
        limits,
      ),
      ...(servers?.tools ?? []),
    ],
    sandbox: o.sandbox,
    policy,
    user: nobody,
    clock,
    redact,
    snapshots: config.snapshots !== false,
  });
  const trace = recordTrace(o.folder, { clock, micros });
  const sink: Ports["sink"] = {
    flush: () => trace.flush(),
    emit(event: RunEvent) {
      trace.emit(event);
      o.onEvent?.(event);
    },
  };
  let served: TrialRun["served"];
  // Nobody has to wait for a service that is made up.
  const runClock = model.identity.simulated === true ? virtualClock(clock) : clock;
  const ports: Ports = { model, tools, sandbox: o.sandbox, clock: runClock, random: randomPort(o.seed), user: nobody, sink, redact };
  try {
    const watch = watchServed(ports, (from) => (served = from));
    const withServers = servers ? { ...config, tools: tools.schemas } : config;
    const result = await runAgent(
      withServers,
      o.ports?.(watch) ?? watch,
      { task: o.task.instruction },
      { middleware, signal: o.signal, seed: o.seed, meta: o.meta },
    );
    return {
      result,
      model: model.identity,
      ...(served ? { served } : {}),
      trace: {
        evidence: (t, d) => trace.evidence(t, d),
        seal: async ({ workspaceHash }) => trace.seal(workspaceHash ?? null),
        close: async () => trace.close(),
      },
    };
  } catch (error) {
    trace.close();
    throw error;
  } finally {
    await tools.close();
    await servers?.close();
  }
}

/** The task's own servers, begun; the library that speaks to them is loaded for a task that has some. Their tools are the agent's beside its own. */
async function serversOf({ task, sandbox, signal }: TrialRunRequest): Promise<McpConnections | undefined> {
  const { mcpServers } = task.environment;
  if (mcpServers.length === 0) return undefined;
  const { connectMcpServers } = await import("../harness/extensions/mcp/connect-servers.ts");
  return connectMcpServers(mcpServers, sandbox, { signal });
}

/** Notes what really answered. */
function watchServed(ports: Ports, note: (served: NonNullable<TrialRun["served"]>) => void): Ports {
  const { model } = ports;
  return {
    ...ports,
    model: {
      identity: model.identity,
      async call(request, o) {
        const reply = await model.call(request, o);
        if (reply.served) note(reply.served);
        return reply;
      },
    },
  };
}
