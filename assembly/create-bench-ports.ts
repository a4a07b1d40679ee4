import { createRefusalMemory } from "../harness/models/retry/refusal-memory.ts";
import { createAccountGates, type AccountPause } from "../harness/models/rate-limits/account-gates.ts";
import type { SimulatedOptions } from "../harness/models/simulated/simulated-model.ts";
import type { SandboxKind } from "../harness/sandbox/sandbox.ts";
import type { BenchPorts, TrialRunRequest } from "../evals/bench-ports.ts";
import { sandboxKindSchema } from "../evals/trial/trial-record.ts";
import { loadAtOnce } from "../harness/package/load-at-once.ts";
import { sandboxProviders } from "./sandbox-providers.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { systemClock } from "../harness/system-ports.ts";
import { forgeVersion } from "../harness/package/package-root.ts";

export interface BenchPortsOptions {
  /** The only kind of sandbox that will be asked for. Default: any may be. */
  readonly sandbox?: SandboxKind;
  readonly dockerHosts?: readonly string[];
  /** Runs tools of a recorded trial that are a user's and were not run here before; from the trace where a file has changed. Default false. */
  readonly trust?: boolean;
  /** Hears, once each, of what a model's server refused of what Forge adds by itself. */
  readonly onRefusal?: (sentence: string) => void;
  /** Hears, once, that another sandbox takes Docker's place, and why. */
  readonly onFallback?: (sentence: string) => void;
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
  const refusals = createRefusalMemory(o.onRefusal);
  const heard = new Set<string>();
  return {
    forgeVersion: forgeVersion(),
    clock: systemClock,
    provider(kind) {
      const provider = providers.get(kind);
      if (!provider) throw new Error(`the ports were made for ${o.sandbox} sandboxes, not for ${kind}`);
      return provider;
    },
    dockerNamed: (o.dockerHosts ?? []).length > 0 || Boolean(env["DOCKER_HOST"]),
    onFallback(sentence) {
      if (!heard.has(sentence)) o.onFallback?.(sentence);
      heard.add(sentence);
    },
    async identify(config, agent) {
      return agent === "configured" ? (await loadTrialAgent()).identifyModel(config, env) : scriptedAgent(agent, 0).identity;
    },
    async run(request) {
      const { runTrialAgent } = await loadTrialAgent();
      return runTrialAgent(request, { env, clock: systemClock, gate, refusals, ...(o.simulate && { simulate: o.simulate }) });
    },
    async layers(config, sandbox) {
      return config.agent ? (await import("./outside-agent.ts")).layersOf(config, env, providers.get(sandbox)) : {};
    },
    async tools(request) {
      const { toolsOfTrial } = await loadTrialAgent();
      return toolsOfTrial(request, { env, trust: o.trust === true });
    },
    async imageSecrets(image, stop) {
      const { connect, connectionFromEnvironment } = await import("../harness/sandbox/docker/daemon/connection.ts");
      const { imageSecrets } = await import("../harness/sandbox/docker/image/image-secrets.ts");
      return imageSecrets(connect(connectionFromEnvironment()), image, stop);
    },
    onProviderPause(hear) {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
  };
}

function importTrialAgent() {
  loadAtOnce(import.meta.url, "./trial-agent.js");
  return import("./trial-agent.ts");
}

let trialAgent: ReturnType<typeof importTrialAgent> | undefined;

/**
 * The agent with its models, tools and recorder: a bench that refuses, resumes or builds needs none of it yet. Asked for once, however many trials begin
 * together: jiti, by which sources run as they are, gives a second import of the same module what there is of it by then.
 */
const loadTrialAgent = () => (trialAgent ??= importTrialAgent());
