/** What a container may reach. Hosts are lower-case names, `*.name`, IP addresses, or CIDR ranges. */
export type NetworkPolicy =
  { readonly mode: "public" } | { readonly mode: "no-network" } | { readonly mode: "allowlist"; readonly hosts: readonly string[] };
