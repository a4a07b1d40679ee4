import type { Clock, Model, ModelIdentity, Ports, Tools } from "../harness/contract/ports.ts";
import { isSimulated, type ResolvedConfig } from "../harness/contract/resolved-config.ts";
import type { AccountGates } from "../harness/models/rate-limits/account-gates.ts";
import type { RefusalMemory } from "../harness/models/retry/refusal-memory.ts";
import { createModel } from "../harness/models/create-model.ts";
import { createSimulatedModel, simulatedIdentity, type SimulatedOptions } from "../harness/models/simulated/simulated-model.ts";
import { toolSchemas } from "../harness/tools/tool-schemas.ts";
import type { TrialRun, TrialRunRequest, TrialToolsRequest } from "../evals/bench-ports.ts";
import { agentName } from "../evals/trial/trial-key.ts";
import { redactorFor } from "../harness/secrets/redactor-for-environment.ts";
import { assembleRun, assembleTools } from "./assemble-run.ts";
import { hasAgent, identifyOutside, layersOf, runOutsideAgent } from "./outside-agent.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { createToolFiles } from "../harness/config/tools/create-tool-files.ts";
import { requireTrustedTools } from "../harness/trust/trust-code.ts";
import { trustStore } from "../harness/trust/trust-store.ts";
import { nobody, systemClock } from "../harness/system-ports.ts";

/** The model that a configuration asks. */
export async function identifyModel(config: ResolvedConfig, env: NodeJS.ProcessEnv): Promise<ModelIdentity> {
  if (hasAgent(config)) {
    const identity = await identifyOutside(config, env);
    await layersOf(config, env); // an agent that cannot be had is reported before any trial
    return identity;
  }
  if (isSimulated(config)) return simulatedIdentity(config.model.name.slice("sim/".length), simulatedProtocol(config));
  return (await createModel(config.model, env, { clock: systemClock })).identity;
}

/** The simulated model plays the trial's own task: its plan arrives as data. */
export function simulatedFor(
  profile: string,
  config: ResolvedConfig,
  { task, seed }: Pick<TrialRunRequest, "task" | "seed">,
  over: Partial<SimulatedOptions> = {},
): Model {
  const { plan, name, metadata } = task;
  const { family, difficulty } = metadata;
  return createSimulatedModel({ plan, task: name, seed, family, difficulty, profile, protocol: simulatedProtocol(config), ...over });
}
const simulatedProtocol = ({ model }: ResolvedConfig): "native" | "text" => (model.protocol === "native" ? "native" : "text");

interface Outside {
  /** What a simulated model is to be in this trial, over what is drawn. */
  readonly simulate?: (trial: TrialRunRequest) => Partial<SimulatedOptions>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly gate: AccountGates;
  readonly refusals: RefusalMemory;
}

/** The agent of one trial, from its first turn to its last, recorded. */
export async function runTrialAgent(o: TrialRunRequest, outside: Outside): Promise<TrialRun> {
  const { env, clock, gate, refusals } = outside;
  const { sandbox, seed, signal, folder, onEvent } = o;
  const own = o.agent === "configured";
  if (own && hasAgent(o.config)) return runOutsideAgent(o, outside);
  const config: ResolvedConfig = o.agent === "configured" ? o.config : scriptedConfig(o.config, o.agent);
  const model =
    o.agent === "configured"
      ? await createModel({ ...config.model, places: config.places }, env, {
          clock,
          gate,
          refusals,
          simulated: (name) => simulatedFor(name, config, o, outside.simulate?.(o)),
        })
      : scriptedAgent(o.agent, o.deadlineMs);
  const { trace, run, close } = await assembleRun({
    config,
    model,
    sandbox,
    user: nobody,
    policy: { mode: "bypass" },
    folder,
    seed,
    signal,
    clock,
    redact: redactorFor(env, { trial: { modelAt: o.config.model.baseUrl ?? "", sandbox: sandbox.kind } }),
    maxTimeoutMs: own ? undefined : o.deadlineMs,
    servers: own ? o.task.environment.mcpServers : [],
    env,
    onEvent,
  });
  let served: TrialRun["served"];
  const ports = (real: Ports): Ports => {
    const watched = watchServed(real, (from) => (served = from));
    return o.ports?.(watched) ?? watched;
  };
  try {
    const result = await run({ task: o.task.instruction }, { signal, meta: o.meta, ports });
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
    await close();
  }
}

/** Of the configuration, a scripted model needs neither middleware nor tools of the user's, nor another agent. */
function scriptedConfig(
  { toolFiles: _, mcp: __, agent: _other, ...config }: ResolvedConfig,
  agent: Exclude<TrialRunRequest["agent"], "configured">,
): ResolvedConfig {
  return { ...config, name: agentName(agent), middleware: [], limits: {}, tools: toolSchemas(["bash"], config.loop) };
}

/** The tools of a recorded trial. Of the user's own those that were run here before, or all with `trust`. */
export async function toolsOfTrial(
  { recordedIn, toolFiles, ...o }: TrialToolsRequest,
  { env, trust }: { readonly env: NodeJS.ProcessEnv; readonly trust: boolean },
): Promise<Tools> {
  if (!trust) await requireTrustedTools({ toolFiles }, trustStore());
  return assembleTools({
    ...o,
    files: await createToolFiles({ toolFiles }, { trust }),
    policy: { mode: "bypass" },
    user: nobody,
    redact: redactorFor(env, { trial: { modelAt: "", sandbox: recordedIn } }),
  });
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
