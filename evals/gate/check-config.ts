import { benchSources } from "../../harness/config/config-source.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { configRegistry } from "../../assembly/create-bench-ports.ts";

/** The configuration of trials that check a task: nobody works there but scripts, and a simulated model that carries the task's plan out without a mistake. */
export const checkConfig = (): Promise<ResolvedConfig> =>
  loadConfig(benchSources({ config: "bare", cwd: process.cwd(), defaultModel: "sim/perfect" }), configRegistry);
