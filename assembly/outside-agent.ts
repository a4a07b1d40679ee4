import type { Clock, EventSink, ModelIdentity, ModelRequest } from "../harness/contract/ports.ts";
import { ModelError } from "../harness/contract/model-error.ts";
import { isSimulated, type AgentWireName, type ResolvedAgent, type ResolvedConfig } from "../harness/contract/resolved-config.ts";
import { ConfigError, InfraError } from "../harness/errors.ts";
import type { Json } from "../harness/json.ts";
import type { SandboxProvider } from "../harness/sandbox/provider.ts";
import { createModel, reachModel, type ReachedModel } from "../harness/models/create-model.ts";
import { rowOf } from "../harness/models/families/find-row.ts";
import { isPaid } from "../harness/models/providers/is-paid.ts";
import { splitCredentials } from "../harness/models/providers/clients/split-credentials.ts";
import { providerIdentity } from "../harness/models/providers/provider-identity.ts";
import type { AccountGates } from "../harness/models/rate-limits/account-gates.ts";
import type { RefusalMemory } from "../harness/models/retry/refusal-memory.ts";
import { simulatedIdentity } from "../harness/models/simulated/simulated-model.ts";
import { createPlayer } from "../harness/models/simulated/server/play-request.ts";
import { BadRequest } from "../harness/models/simulated/server/wire.ts";
import { createRedactor } from "../harness/secrets/redact-text.ts";
import { redactDeep } from "../harness/secrets/redact-json.ts";
import { redactorFor } from "../harness/secrets/redactor-for-environment.ts";
import { micros } from "../harness/system-ports.ts";
import { adapterOf } from "../evals/agents/find-adapter.ts";
import { commandLayer, installCommand } from "../evals/agents/install-command.ts";
import { installAgent, installedLayer } from "../evals/agents/install-agent.ts";
import { runAgentProcess } from "../evals/agents/run-agent-process.ts";
import type { AnswersToAgent, TrialRun, TrialRunRequest } from "../evals/bench-ports.ts";
import { startGateway, type Gateway } from "../evals/gateway/start-gateway.ts";
import type { Upstream } from "../evals/gateway/upstream.ts";
import { observeRun, type SeenRequest } from "../traces/observed/observe-run.ts";
import { recordTrace } from "../traces/record/record-trace.ts";

type WithAgent = ResolvedConfig & { readonly agent: ResolvedAgent };
type Env = NodeJS.ProcessEnv;

export const hasAgent = (config: ResolvedConfig): config is WithAgent => config.agent !== undefined;

/** The model that another agent's requests reach. @throws ConfigError where the agent's wire does not reach it */
export async function identifyOutside(config: WithAgent, env: Env): Promise<ModelIdentity> {
  if (isSimulated(config)) return simulatedIdentity(config.model.name.slice("sim/".length));
  const reached = reachModel(config.model, env);
  requireWire(config, reached, env);
  return identityOf(config, reached).identity;
}

/** Where an adapter's package is seen in a sandbox. */
const inside = (name: string): string => `/opt/forge/agents/${name}`;

/** The layers of a configuration's agent, installed; what a command of the user's own installs, where its sandboxes are known. @throws CannotError */
export async function layersOf(config: ResolvedConfig, env: Env, provider?: SandboxProvider): Promise<Readonly<Record<string, string>>> {
  const adapter = config.agent && adapterOf(config.agent.name);
  if (!adapter) {
    if (config.agent?.install === undefined || !provider) return {};
    const { agent } = config;
    const path = inside(commandLayer(agent, provider.kind));
    return { [path]: (await installCommand({ ...agent, install: config.agent.install }, { provider, inside: path, env })).folder };
  }
  return { [inside(adapter.name)]: (await installAgent(adapter, config.agent?.version ?? adapter.version, env)).folder };
}

let gateway: Promise<Gateway> | undefined;

/** One run of another agent, recorded by the gateway. */
export async function runOutsideAgent(
  o: TrialRunRequest,
  outside: { readonly env: Env; readonly clock: Clock; readonly gate: AccountGates; readonly refusals: RefusalMemory },
): Promise<TrialRun> {
  const { sandbox, folder, signal, seed, deadlineMs, task } = o;
  const { env, clock } = outside;
  const { answers } = o;
  const given = o.config as WithAgent; // the caller asked `hasAgent`
  // what ended a recorded run is in the recording, and times are others
  const config = answers ? { ...given, limits: {} } : given;
  const adapter = adapterOf(config.agent.name);
  const kept = config.agent.install === undefined ? undefined : commandLayer(config.agent, sandbox.kind);
  const layer = adapter
    ? await installAgent(adapter, config.agent.version ?? adapter.version, env)
    : kept === undefined
      ? undefined
      : await installedLayer(kept, env);
  if (kept !== undefined && !layer) throw new InfraError("What agent.install had made was removed while the job ran.");
  const upstream = answers ? recordedUpstream(answers) : await upstreamOf(config, o, outside);
  const { name } = upstream.identity;
  const model = answers
    ? answers.model
    : adapter?.knownModel !== undefined && upstream.type === "translate"
      ? adapter.knownModel
      : isSimulated(config)
        ? "sim-model"
        : name;
  const own = redactorFor(env, { trial: { modelAt: config.model.baseUrl ?? "", sandbox: sandbox.kind } });
  const token = `forge-${crypto.randomUUID().replaceAll("-", "")}`;
  const hidden = createRedactor({ secrets: [token], shapes: false, urls: false });
  const redact = (text: string): string => hidden(own(text));
  // compared as it would be recorded
  function recordedUpstream({ identity, answer }: AnswersToAgent): Upstream {
    return { type: "recorded", identity, answer: (seen) => answer(redactDeep(seen as unknown as Json, redact) as unknown as SeenRequest) }; // plain JSON by its type
  }
  const trace = recordTrace(folder, { clock, micros });
  let served: TrialRun["served"];
  const sink: EventSink = {
    flush: () => trace.flush(),
    emit(event) {
      trace.emit(event);
      if (event.t === "model.response" && event.d["served"]) served = event.d["served"] as NonNullable<TrialRun["served"]>; // as the reply has it
      o.onEvent?.(event);
    },
  };
  const meta = {
    ...o.meta,
    gateway: {
      wire: config.agent.wire,
      model,
      upstream: upstream.type === "pass" ? "passed on as it is" : upstream.type === "translate" ? "translated" : "recorded",
      ...(layer ? { package: layer.package, version: layer.version, integrity: layer.integrity } : {}),
      notKnown: ["effects", "checks", "exitCode"],
    },
  };
  try {
    const ended = await runAgentProcess({
      config,
      adapter,
      task: task.instruction,
      sandbox,
      layer: layer ? (sandbox.kind === "docker" ? inside(adapter?.name ?? kept ?? "") : layer.folder) : "",
      gateway: await (gateway ??= startGateway()),
      token,
      upstream,
      model,
      clock,
      deadlineMs,
      signal,
      observe: (watch) =>
        observeRun({ config, task: task.instruction, seed, model: upstream.identity, meta }, { sink: watch(sink), redact }),
      note: (text, more = {}) => trace.evidence("note", JSON.parse(redact(JSON.stringify({ text, ...more })))),
    });
    return {
      ...ended,
      model: upstream.identity,
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
  }
}

/** What answers: the simulated model that plays the task, the provider itself, or a local server behind a translation. */
async function upstreamOf(
  config: WithAgent,
  o: TrialRunRequest,
  {
    env,
    clock,
    gate,
    refusals,
  }: { readonly env: Env; readonly clock: Clock; readonly gate: AccountGates; readonly refusals: RefusalMemory },
): Promise<Upstream> {
  if (isSimulated(config)) return simulatedUpstream(config, o);
  const reached = reachModel(config.model, env);
  const wires = requireWire(config, reached, env);
  if (!wires.includes(config.agent.wire)) {
    const model = await createModel(config.model, env, { clock, gate, refusals });
    return { type: "translate", identity: model.identity, ask: async (request, at) => ({ reply: await model.call(request, at) }) };
  }
  const { provider, given, baseUrl, key = "none" } = reached;
  const { url, authorization } = splitCredentials(given ?? baseUrl ?? homes[config.agent.wire]);
  const base = url.replace(/\/+$/, "");
  const auth = authorization ?? (config.agent.wire === "anthropic-messages" ? undefined : `Bearer ${key}`);
  return {
    type: "pass",
    wire: config.agent.wire,
    url: `${base}${paths[config.agent.wire]}`,
    headers: auth === undefined ? { "x-api-key": key } : { authorization: auth },
    ...identityOf(config, reached),
    gate: gate({ provider, baseUrl, apiKey: key }),
  };
}

const paths = { "anthropic-messages": "/v1/messages", "openai-chat": "/chat/completions", "openai-responses": "/responses" } as const;
const homes = {
  "anthropic-messages": "https://api.anthropic.com",
  "openai-chat": "https://api.openai.com/v1",
  "openai-responses": "https://api.openai.com/v1",
} as const;

function identityOf({ model }: WithAgent, { provider, name, given }: ReachedModel) {
  return providerIdentity({
    provider,
    name,
    apiKey: "",
    clock: { now: () => 0, sleep: async () => undefined },
    ...(given === undefined ? {} : { baseUrl: splitCredentials(given).url }),
    ...(model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
    ...(model.extra === undefined ? {} : { extra: model.extra }),
    ...(rowOf(model.name, model.row) === undefined || model.row === undefined ? {} : { row: model.row }),
  });
}

/** The wires that a model is asked over as it is. @throws ConfigError where the agent speaks none of them, and a translation would stand between it and a paid model */
function requireWire({ agent, model }: WithAgent, { provider, known, name }: ReachedModel, env: Env): readonly AgentWireName[] {
  if (known.cloud !== undefined)
    throw new ConfigError(
      `model.name: ${model.name} is reached by an SDK of its own, which the gateway cannot replace; name the same model at another provider.`,
    );
  const wires: readonly AgentWireName[] =
    known.wire === "anthropic"
      ? ["anthropic-messages"]
      : provider === "openai" && model.baseUrl === undefined
        ? ["openai-chat", "openai-responses"]
        : ["openai-chat"];
  if (!wires.includes(agent.wire) && isPaid(model, { provider }, env))
    throw new ConfigError(
      `model.name: ${agent.name} speaks ${agent.wire}, and ${provider}/${name} is asked over ${wires.join(" or ")}; name a model of a provider with that wire. Only simulated and local models are translated for.`,
    );
  return wires;
}

/** The trial's own task, played by the simulated model whatever the agent calls its shell. */
function simulatedUpstream(config: WithAgent, { task, seed }: TrialRunRequest): Upstream {
  const profile = config.model.name.slice("sim/".length);
  const identity = simulatedIdentity(profile);
  const { plan, name, instruction, metadata } = task;
  if (!plan)
    throw new ConfigError(
      `Task ${name} has no solution/plan.yaml: the simulated model cannot play it; use --model provider/name for a real one.`,
    );
  const { family, difficulty } = metadata;
  const play = createPlayer({ tasks: [{ name, instruction, plan, family, difficulty }], profile });
  const last = adapterOf(config.agent.name)?.lastCommand;
  return {
    type: "translate",
    identity,
    async ask(request, { place, signal }) {
      const asked = { model: `sim-${seed}`, stream: false, withUsage: true, request };
      try {
        const played = await play(asked, { attempt: () => place.attempt, signal });
        return last !== undefined && played.reply.calls.length === 0 ? { ...played, reply: endingBy(played.reply, last, request) } : played;
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        throw new ModelError("invalid", error.wrong.type === "invalid" ? error.wrong.words : error.message, { status: 400 });
      }
    },
  };
}

/** The end of an agent that ends by a command. */
function endingBy<R extends { readonly message: { readonly role: "assistant"; readonly content: readonly object[] } }>(
  reply: R,
  command: string,
  { tools }: ModelRequest,
): R {
  const [shell] = tools;
  if (!shell) return reply;
  const call = { id: "last", name: shell.name, args: { command } };
  return {
    ...reply,
    stop: "calls",
    calls: [call],
    message: { ...reply.message, content: [...reply.message.content, { type: "call", ...call }] },
  };
}
