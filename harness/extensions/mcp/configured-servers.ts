import type { ConfiguredServer } from "../../contract/resolved-config.ts";
import { ConfigError } from "../../errors.ts";
import type { McpServer } from "./mcp-server.ts";

/** A server of a configuration with the variables of the environment in their places. */
export interface ReadyServer {
  readonly server: McpServer;
  /** What its program gets beside the plain environment, and where it starts. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly only: readonly string[] | undefined;
  readonly timeoutMs: number | undefined;
}

/** How a value names a variable of the environment: `${NAME}`. */
export const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Puts variables of the environment in where `env` and `headers` name them. Throws `ConfigError` for one that is not set.
 * @returns also their values, which nothing that is recorded or shown may hold
 */
export function readyServers(
  servers: readonly ConfiguredServer[],
  env: NodeJS.ProcessEnv,
): { readonly ready: readonly ReadyServer[]; readonly secrets: readonly string[] } {
  const secrets = new Set<string>();
  const filled = (server: string, group: "env" | "headers", values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, text]) => [
        key,
        text.replaceAll(variable, (_, name: string) => {
          const value = env[name];
          if (value === undefined || value === "")
            throw new ConfigError(
              `mcp.${server}.${group}.${key}: the environment variable ${name} is not set; set it, or take the key out.`,
            );
          secrets.add(value);
          return value;
        }),
      ]),
    );
  const ready = servers.map((one): ReadyServer => {
    const { name, folder, only, timeoutMs } = one;
    if (one.transport === "stdio") {
      const { command, args } = one;
      return { server: { name, transport: "stdio", command, args }, env: filled(name, "env", one.env), folder, only, timeoutMs };
    }
    const server = { name, transport: one.transport, url: one.url, headers: filled(name, "headers", one.headers) };
    return { server, env: {}, folder, only, timeoutMs };
  });
  return { ready, secrets: [...secrets] };
}
