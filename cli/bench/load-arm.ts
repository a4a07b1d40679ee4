import { benchSources } from "../../harness/config/config-source.ts";
import type { MiddlewareChange } from "../../harness/config/middleware/change-middleware.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { ConfigFile } from "../../harness/config/schema.ts";
import { registryFor } from "../../assembly/registry.ts";
import type { BenchFlags } from "./options.ts";
import { requireOwnAddress } from "../../harness/trust/own-address.ts";
import { nobody } from "../../harness/system-ports.ts";

/** The configuration of one arm: the file or preset that `option` names, with the model of the command line. */
export async function loadArm(
  flags: Pick<BenchFlags, "model" | "baseUrl" | "price" | "recorded" | "trust">,
  config: string,
  change?: MiddlewareChange,
  option: "--config" | "--ablate" = "--config",
): Promise<ResolvedConfig> {
  const model = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(flags.price === undefined ? {} : { price: flags.price }),
  };
  const values: ConfigFile = Object.keys(model).length > 0 ? { model } : {};
  const recorded = flags.recorded?.includes(config) === true;
  const sources = benchSources({
    config,
    option,
    cwd: process.cwd(),
    owner: recorded ? "repository" : "user",
    flags: values,
    defaultModel: "sim/default",
  });
  const found = await loadConfig(sources, registryFor({ user: nobody, trust: flags.trust === true }), change);
  if (recorded && flags.baseUrl === undefined) requireOwnAddress(found.model.baseUrl, `configuration ${config}`);
  return found;
}
