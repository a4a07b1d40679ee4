import type { AnyMiddleware } from "../harness/contract/middleware.ts";
import { createSystemPrompt } from "../harness/agent/prompts/system.ts";
import type { ConfigRegistry } from "../harness/config/config-registry.ts";
import { createMiddleware } from "../harness/config/middleware/create-middleware.ts";
import type { ResolvedConfig } from "../harness/contract/resolved-config.ts";
import { protocolPrompt } from "../harness/models/protocols/text-prompts.ts";
import { nobody } from "../harness/system-ports.ts";
import { toolNames, toolSchemas } from "../harness/tools/tool-schemas.ts";
import { trustedLoaders, type TrustOptions } from "../harness/trust/trust-code.ts";
import { trustStore } from "../harness/trust/trust-store.ts";
import { presets } from "../middleware/presets/presets.ts";
import { everyMiddleware } from "../middleware/registry.ts";
import type { ReplayParts } from "../traces/replay/replay-parts.ts";

const onStandardError = (text: string): void => void process.stderr.write(`${text}\n`);

/** Everything a configuration may name. Of code that a repository names, what was trusted before, or what `user` or `trust` (the flag `--trust`) trusts now. */
export const registryFor = (o: Pick<TrustOptions, "user" | "trust"> & Partial<Pick<TrustOptions, "say">>): ConfigRegistry => ({
  presets,
  middleware: everyMiddleware,
  tools: { names: toolNames, schemas: toolSchemas },
  ...trustedLoaders({ store: trustStore(), say: onStandardError, ...o }),
  basePrompt: ({ tools, protocol, loop }) => [
    ...createSystemPrompt({ tools, loop }),
    ...(protocol === "text" ? [{ name: "protocol", text: protocolPrompt(tools) }] : []),
  ],
});

/** Everything a configuration may name. Of code that a repository names, only what was trusted before. */
export const configRegistry: ConfigRegistry = registryFor({ user: nobody, trust: false });

/** The middlewares of a configuration, outermost first. `trust`: a user's file that changed or is gone is taken from the trace. */
export function assembleMiddleware(config: Pick<ResolvedConfig, "middleware">, o: { trust: boolean }): Promise<AnyMiddleware[]> {
  return createMiddleware(config, everyMiddleware, o);
}

/** What recorded runs are replayed with; `trust`: of another configuration than theirs. */
export const replayParts = (o: { readonly trust: boolean }): ReplayParts => ({
  registry: registryFor({ user: nobody, trust: o.trust }),
  assemble: assembleMiddleware,
});
