import { benchSources } from "../../harness/config/config-source.ts";
import type { MiddlewareChange } from "../../harness/config/middleware/change-middleware.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { ConfigFile } from "../../harness/config/schema.ts";
import { findAgent } from "../../evals/agents/find-adapter.ts";
import { registryFor } from "../../assembly/registry.ts";
import { baselineOf, type BenchFlags } from "./options.ts";
import { requireOwnAddress } from "../../harness/trust/own-address.ts";
import { nobody } from "../../harness/system-ports.ts";

/** The configuration of one arm: the file or preset that `option` names, with the model and the agent of the command line. */
export async function loadArm(
  flags: Pick<BenchFlags, "model" | "baseUrl" | "price" | "recorded" | "trust" | "agent">,
  config: string,
  change?: MiddlewareChange,
  option: "--config" | "--ablate" = "--config",
): Promise<ResolvedConfig> {
  const model = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(flags.price === undefined ? {} : { price: flags.price }),
  };
  const agent = baselineOf(flags.agent) ? undefined : flags.agent;
  const values: ConfigFile = { ...(Object.keys(model).length > 0 ? { model } : {}), ...(agent === undefined ? {} : { agent }) };
  const recorded = flags.recorded?.includes(config) === true;
  const sources = benchSources({
    config,
    option,
    cwd: process.cwd(),
    owner: recorded ? "repository" : "user",
    flags: values,
    defaultModel: "sim/default",
  });
  const registry = { ...registryFor({ user: nobody, trust: flags.trust === true }), agents: findAgent };
  const found = await loadConfig(sources, registry, change);
  if (recorded && flags.baseUrl === undefined) requireOwnAddress(found.model.baseUrl, `configuration ${config}`);
  return agent !== undefined && config === "bare" ? { ...found, name: agent } : found;
}
