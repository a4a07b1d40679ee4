import { sha256 } from "../hash/sha256.ts";
import { canonicalJson } from "../hash/canonical-json.ts";
import type { ResolvedConfig } from "../contract/resolved-config.ts";

export type HashedConfig = Pick<ResolvedConfig, "system" | "tools" | "toolFiles" | "mcp" | "limits" | "middleware" | "loop" | "agent"> & {
  readonly model: Pick<ResolvedConfig["model"], "protocol">;
};

/**
 * SHA-256 in hex over what changes the harness's behaviour: prompts, tool schemas, limits, protocol, the loop's version where it is not 1, and each middleware's name, version
 * (a user's file, of a tool too: hash of its sources) and options that differ from their defaults. So an option added later at its default changes no
 * hash. Another agent is covered with its version, command, files, variables and
 * arguments. Left out: the model, keys, base URLs, paths.
 */
export function harnessHash(config: HashedConfig): string {
  return sha256(
    canonicalJson({
      system: config.system.map(({ name, text }) => ({ name, text })),
      tools: config.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ...(config.toolFiles === undefined ? {} : { toolFiles: config.toolFiles.map(({ name, source }) => ({ name, source: source.hash })) }),
      ...(config.mcp === undefined ? {} : { mcp: config.mcp.map(({ folder: _, ...server }) => server) }),
      limits: config.limits,
      protocol: config.model.protocol,
      ...(config.loop === undefined ? {} : { loop: config.loop }),
      ...(config.agent === undefined ? {} : { agent: config.agent }),
      middleware: config.middleware.map(({ name, version, source, changed }) =>
        source ? { name, source: source.hash, changed } : { name, version, changed },
      ),
    }),
  );
}
