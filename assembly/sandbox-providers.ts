import { loadAtOnce } from "../harness/package/load-at-once.ts";
import { createInPlaceSandbox } from "../harness/sandbox/in-place-sandbox.ts";
import type { SandboxProvider } from "../harness/sandbox/provider.ts";
import type { Sandbox, SandboxKind } from "../harness/sandbox/sandbox.ts";

/** One provider of each kind for the length of the process. */
export function sandboxProviders(o: { readonly dockerHosts?: readonly string[] } = {}): (kind: SandboxKind) => Promise<SandboxProvider> {
  const made = new Map<SandboxKind, Promise<SandboxProvider>>();
  const make = async (kind: SandboxKind): Promise<SandboxProvider> => {
    if (kind === "docker" && o.dockerHosts && o.dockerHosts.length > 0)
      return (await import("../harness/sandbox/docker/docker-hosts.ts")).createDockerHosts(o.dockerHosts);
    if (kind === "docker") loadAtOnce(import.meta.url, "../harness/sandbox/docker/docker-provider.js");
    if (kind === "docker") return (await import("../harness/sandbox/docker/docker-provider.ts")).createDockerProvider();
    if (kind === "bubblewrap") return (await import("../harness/sandbox/bubblewrap/bubblewrap-provider.ts")).createBubblewrapProvider();
    return (await import("../harness/sandbox/local/local-provider.ts")).createLocalProvider();
  };
  return (kind) => {
    const provider = made.get(kind) ?? make(kind);
    made.set(kind, provider);
    return provider;
  };
}

/** The user's own folder as a sandbox, worked on in place: confined by bubblewrap where that works, else the plain machine. */
export async function openWorkspace(folder: string, asked: "bubblewrap" | "local" | undefined): Promise<Sandbox> {
  const kind = asked ?? ((await (await sandboxProviders()("bubblewrap")).available()) === true ? "bubblewrap" : "local");
  return createInPlaceSandbox(folder, { kind });
}
