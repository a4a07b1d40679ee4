import { BlockList, isIP } from "node:net";
import type { ModelIdentity } from "../../contract/ports.ts";
import type { ResolvedModel } from "../../contract/resolved-config.ts";
import { serverAddress } from "./clients/server-address.ts";

/**
 * Whether asking a model costs money, or may: so does every server that is neither on this machine nor in a private network, whether or not its price is
 * known. `env`: where its address may stand.
 */
export function isPaid(
  { baseUrl }: Pick<ResolvedModel, "name" | "baseUrl">,
  { provider, simulated }: Pick<ModelIdentity, "provider" | "simulated">,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (simulated === true || provider === "scripted") return false;
  const address = serverAddress({ name: `${provider}/`, ...(baseUrl === undefined ? {} : { baseUrl }) }, env);
  return address === undefined || !isNear(address);
}

const near = new BlockList();
for (const [net, prefix] of [["127.0.0.0", 8], ["10.0.0.0", 8], ["172.16.0.0", 12], ["192.168.0.0", 16], ["169.254.0.0", 16]] as const) near.addSubnet(net, prefix); // prettier-ignore
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");

/** A name without a dot is one of this machine or its network. */
function isNear(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version !== 0) return near.check(host, version === 6 ? "ipv6" : "ipv4");
  return !host.includes(".") || host.endsWith(".local") || host.endsWith(".internal");
}
