import type { ConfigRegistry } from "../../harness/config/config-registry.ts";
import type { AnyMiddleware } from "../../harness/contract/middleware.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";

/** What a replay needs from above: all that a configuration may name, and its middlewares made. */
export interface ReplayParts {
  readonly registry: ConfigRegistry;
  /** Outermost first. `trust`: a user's file that changed or is gone is taken from the trace. */
  assemble(config: Pick<ResolvedConfig, "middleware">, o: { trust: boolean }): Promise<AnyMiddleware[]>;
}
