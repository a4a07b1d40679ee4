import type { ResolvedModel } from "../contract/resolved-config.ts";

/** A recorded model as settings below another configuration: without the place that set its effort, which is no setting. */
export function recordedModel({ effortFrom: _, ...settings }: ResolvedModel): Omit<ResolvedModel, "effortFrom"> {
  return settings;
}
