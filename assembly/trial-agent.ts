import { runAgent } from "../harness/agent/run-agent.ts";
import type { Clock, Model, ModelIdentity, Ports } from "../harness/contract/ports.ts";
import { createMiddleware } from "../harness/config/middleware/create-middleware.ts";
import { isSimulated } from "../harness/config/is-simulated.ts";
import type { ResolvedConfig } from "../harness/contract/resolved-config.ts";
import type { RunEvent } from "../harness/events/schema.ts";
import type { McpConnections } from "../harness/extensions/mcp/connect-servers.ts";
import type { AccountGates } from "../harness/models/rate-limits/account-gates.ts";
import { createModel } from "../harness/models/create-model.ts";
import { createSimulatedModel, simulatedIdentity, type SimulatedOptions } from "../harness/models/simulated/simulated-model.ts";
import { virtualClock } from "../harness/models/simulated/virtual-clock.ts";
import { createPolicy } from "../harness/policy/policy.ts";
import { createTools } from "../harness/tools/registry.ts";
import { pickTools, toolSchemas } from "../harness/tools/tool-schemas.ts";
import type { TrialRun, TrialRunRequest } from "../evals/bench-ports.ts";
import { agentName } from "../evals/trial/trial-key.ts";
import { builtinMiddleware } from "../middleware/registry.ts";
import { recordTrace } from "../traces/record/record-trace.ts";
import { redactorFor } from "../harness/secrets/redactor-for-environment.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { micros, nobody, randomPort, systemClock } from "../harness/system-ports.ts";

/** The model that a configuration asks. */
export async function identifyModel(config: ResolvedConfig, env: NodeJS.ProcessEnv): Promise<ModelIdentity> {
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

interface Outside {
  /** What a simulated model is to be in this trial, over what is drawn. */
  readonly simulate?: (trial: TrialRunRequest) => Partial<SimulatedOptions>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly gate: AccountGates;
}

/** The agent of one trial, from its first turn to its last, recorded. */
export async function runTrialAgent(o: TrialRunRequest, outside: Outside): Promise<TrialRun> {
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
  const middleware = await createMiddleware(config, builtinMiddleware, { trust: true });
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
