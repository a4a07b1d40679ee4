import type { AnyMiddleware } from "../harness/contract/middleware.ts";
import { createSystemPrompt } from "../harness/agent/prompts/system.ts";
import type { ConfigRegistry } from "../harness/config/config-registry.ts";
import { createMiddleware } from "../harness/config/middleware/create-middleware.ts";
import type { ResolvedConfig } from "../harness/contract/resolved-config.ts";
import { createAccountGates, type AccountPause } from "../harness/models/rate-limits/account-gates.ts";
import { protocolPrompt } from "../harness/models/protocols/text-prompts.ts";
import type { SimulatedOptions } from "../harness/models/simulated/simulated-model.ts";
import type { SandboxProvider } from "../harness/sandbox/provider.ts";
import type { SandboxKind } from "../harness/sandbox/sandbox.ts";
import { toolNames, toolSchemas } from "../harness/tools/tool-schemas.ts";
import type { BenchPorts, TrialRunRequest } from "../evals/bench-ports.ts";
import { sandboxKindSchema } from "../evals/trial/trial-record.ts";
import { presets } from "../middleware/presets/presets.ts";
import { builtinMiddleware } from "../middleware/registry.ts";
import { loadAtOnce } from "../harness/package/load-at-once.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { nobody, systemClock } from "../harness/system-ports.ts";
import { trustedLoader } from "../harness/trust/trust-code.ts";
import { trustStore } from "../harness/trust/trust-store.ts";
import { forgeVersion } from "../harness/package/forge-version.ts";

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
    async identify(config, agent) {
      return agent === "configured" ? (await loadTrialAgent()).identifyModel(config, env) : scriptedAgent(agent, 0).identity;
    },
    async run(request) {
      const { runTrialAgent } = await loadTrialAgent();
      return runTrialAgent(request, { env, clock: systemClock, gate, ...(o.simulate && { simulate: o.simulate }) });
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
