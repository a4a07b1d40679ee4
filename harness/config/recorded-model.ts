import type { ResolvedModel } from "../contract/resolved-config.ts";

/** A recorded model as settings below another configuration: without the place of its effort, which runs recorded before there were `places` have. */
export function recordedModel({ effortFrom: _, ...settings }: ResolvedModel & { readonly effortFrom?: string }): ResolvedModel {
  return settings;
}
