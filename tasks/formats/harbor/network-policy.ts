import { ConfigError } from "../../../harness/errors.ts";
import type { NetworkPolicy } from "../../../harness/sandbox/sandbox.ts";
import { allowedHost } from "./allowed-host.ts";

interface NetworkToml {
  readonly network_mode?: NetworkPolicy["mode"] | undefined;
  readonly allowed_hosts?: readonly string[] | undefined;
}

/** The network a table asks for; undefined where it says nothing. Throws `ConfigError` for hosts without `network_mode = "allowlist"`. */
export function networkPolicy({ network_mode, allowed_hosts }: NetworkToml, place: string): NetworkPolicy | undefined {
  if (network_mode === "allowlist") return { mode: "allowlist", hosts: (allowed_hosts ?? []).map((host) => allowedHost(host) ?? host) };
  if (allowed_hosts !== undefined && (network_mode === undefined || allowed_hosts.length > 0))
    throw new ConfigError(`${place}.allowed_hosts: counts only with network_mode = "allowlist". Set that, or remove the hosts.`);
  return network_mode === undefined ? undefined : { mode: network_mode };
}
