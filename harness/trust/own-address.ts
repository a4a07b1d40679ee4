import { isIP } from "node:net";
import { ConfigError } from "../errors.ts";

/**
 * Holds an address for model calls that was found on disk to this machine: requests, and keys with them, go elsewhere only when the user says so.
 * Throws `ConfigError` that names the address and the flag.
 */
export function requireOwnAddress(baseUrl: string | undefined, from: string): void {
  if (baseUrl === undefined || isLoopback(baseUrl)) return;
  throw new ConfigError(
    `${from}: it was started with a model at ${baseUrl}; give --base-url ${baseUrl} to send requests, and keys with them, there again.`,
  );
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
