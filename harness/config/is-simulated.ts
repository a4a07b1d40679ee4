import type { ResolvedConfig } from "../contract/resolved-config.ts";

/** Whether a configuration asks the simulated model, which plays a task's plan. */
export const isSimulated = ({ model }: Pick<ResolvedConfig, "model">): boolean => model.name.startsWith("sim/");
