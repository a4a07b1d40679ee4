import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { recordedModel } from "../../../harness/config/recorded-model.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { CannotError } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { ReplayParts } from "../replay-parts.ts";

/** A configuration to hold against recorded runs, and its middlewares. */
export interface OtherConfig {
  readonly config: ResolvedConfig;
  readonly middleware: readonly AnyMiddleware[];
}

/**
 * Reads `--config` for recorded runs: where it says nothing of the model, a run's own settings hold. Runs of the same model share what is loaded.
 * The function that it answers throws `CannotError` for a run of a reference solution, which no configuration changes.
 */
export function otherConfig(
  value: string,
  { cwd, registry, assemble }: ReplayParts & { readonly cwd: string },
): (events: readonly RunEvent[]) => Promise<OtherConfig> {
  const loaded = new Map<string, Promise<OtherConfig>>();
  const load = async (model: ResolvedConfig["model"]): Promise<OtherConfig> => {
    const sources = [
      { kind: "values" as const, label: "the recording", config: { model: recordedModel(model) } },
      { kind: "config" as const, value, folder: cwd, owner: "user" as const },
    ];
    const config = await loadConfig(sources, registry);
    return { config, middleware: await assemble(config, { trust: true }) };
  };
  return async (events) => {
    const start = events[0]?.d ?? {};
    const { agent } = (start["meta"] ?? {}) as { agent?: unknown }; // told by whoever recorded
    if (typeof agent === "string" && agent !== "configured")
      throw new CannotError(`This is a run of ${agent}, which follows no configuration: there is nothing to change.`);
    const { model } = start["config"] as unknown as ResolvedConfig; // what `run.start` records
    const key = JSON.stringify(model);
    const known = loaded.get(key) ?? load(model);
    loaded.set(key, known);
    return known;
  };
}
