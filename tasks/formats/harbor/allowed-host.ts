import { isIP } from "node:net";

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * One entry of `allowed_hosts` in its one form: a lower-case name without the last dot, `*.name`, an IP address, or a CIDR range without bits
 * beyond its prefix. Undefined for everything else (a URL, a port, a path, a `*` elsewhere).
 */
export function allowedHost(entry: string): string | undefined {
  const host = entry.trim().toLowerCase().replace(/\.+$/, "");
  if (host.includes("%")) return undefined;
  if (host.includes("/")) return range(host);
  if (isIP(host) !== 0) return host;
  const name = host.startsWith("*.") ? host.slice(2) : host;
  if (isIP(name) !== 0) return undefined;
  return name.length <= 253 && name.split(".").every((part) => label.test(part)) ? host : undefined;
}

function range(text: string): string | undefined {
  const [address = "", prefix = "", more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more !== undefined || !/^\d{1,3}$/.test(prefix)) return undefined;
  const bits = bitsOf(address, version);
  return Number(prefix) <= bits.length && !bits.slice(Number(prefix)).includes("1") ? text : undefined;
}

function bitsOf(address: string, version: number): string {
  if (version === 4)
    return address
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("");
  const v4 = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (a: string | undefined, b: string | undefined): string => ((Number(a) << 8) | Number(b)).toString(16);
  const text = v4 ? `${v4[1]}${hex(v4[2], v4[3])}:${hex(v4[4], v4[5])}` : address;
  const [head = "", tail] = text.split("::");
  const parts = (side: string): string[] => (side === "" ? [] : side.split(":"));
  const left = parts(head);
  const right = tail === undefined ? [] : parts(tail);
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].map((part) => Number.parseInt(part, 16).toString(2).padStart(16, "0")).join("");
}
