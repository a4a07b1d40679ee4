import type { ConfigRegistry } from "../../harness/config/config-registry.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";

/** The configuration of trials that check a task: nobody works there but scripts, and a simulated model that carries the task's plan out without a mistake. */
export const checkConfig = (registry: ConfigRegistry): Promise<ResolvedConfig> =>
  loadConfig(benchSources({ config: "bare", cwd: process.cwd(), defaultModel: "sim/perfect" }), registry);
