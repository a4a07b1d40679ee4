import { existsSync } from "node:fs";
import type { Agent } from "node:http";
import { createRequire } from "node:module";
import type Docker from "dockerode";
import { codeOf, messageOf } from "../../../errors.ts";
import { boundOperations } from "./limit-operations.ts";
import { sshAgent } from "./ssh-agent.ts";

export interface DockerConnection {
  /** Address as in DOCKER_HOST (`unix://…`, `tcp://…`, `ssh://…`). */
  readonly host?: string;
}

/** The one place where the environment is asked for the daemon's address. Without DOCKER_HOST: Docker's socket, else Podman's. */
export function connectionFromEnvironment(env: NodeJS.ProcessEnv = process.env): DockerConnection {
  if (env["DOCKER_HOST"]) return { host: env["DOCKER_HOST"] };
  const home = env["HOME"] ?? "/root";
  const sockets = [
    "/var/run/docker.sock",
    `${home}/.docker/run/docker.sock`,
    `${env["XDG_RUNTIME_DIR"] ?? "/run"}/podman/podman.sock`,
    "/run/podman/podman.sock",
  ];
  return { host: `unix://${sockets.find((path) => existsSync(path)) ?? sockets[0]}` };
}

/**
 * A client for the daemon; nothing is contacted yet. No API version is pinned: the daemon's own is used, and nothing here needs more than 1.41.
 */
export function connect(connection: DockerConnection): Docker {
  const host = connection.host ?? "unix:///var/run/docker.sock";
  // The library asks the environment for whatever is not given, so each client gives all of it.
  if (host.startsWith("unix://"))
    return client({ socketPath: host.slice("unix://".length), host: undefined, port: undefined, protocol: "http" });
  if (host.startsWith("ssh://")) return client({ host: "docker", port: 80, protocol: "http", agent: sshAgent(host) });
  const url = new URL(host.includes("//") ? host : `tcp://${host}`);
  const port = url.port || 2375;
  const protocol = url.protocol === "https:" || String(port) === "2376" ? "https" : "http";
  return client({ host: url.hostname, port, protocol });
}

/** Loaded with the first client: the library brings SSH and gRPC with it, some 150 modules, which a run without Docker need not wait for. */
const load = createRequire(import.meta.url);

function client(options: { [K in keyof Docker.DockerOptions]: Docker.DockerOptions[K] | undefined } & { agent?: Agent }): Docker {
  const Client = load("dockerode") as typeof Docker;
  return boundOperations(new Client(options as Docker.DockerOptions)); // undefined stands for "not from the environment"
}

/** True when the daemon answers; else one sentence with the cure. */
export async function daemonAnswers(docker: Docker, connection: DockerConnection): Promise<true | string> {
  const host = connection.host ?? "unix:///var/run/docker.sock";
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      () => resolve(`The Docker daemon at ${host} does not respond within 5 s; restart it, or choose --sandbox bubblewrap.`),
      5_000,
    );
  });
  try {
    return await Promise.race([docker.ping().then(() => true as const), late]);
  } catch (error) {
    return unreachable(host, error);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(host: string, error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT")
    return `There is no Docker socket at ${host}; install Docker (Debian: apt-get install -y docker.io) and start dockerd, set DOCKER_HOST, or choose --sandbox bubblewrap.`;
  if (code === "EACCES")
    return `The Docker socket at ${host} may not be used by this user; add the user to the group "docker" and log in again, or choose --sandbox bubblewrap.`;
  if (code === "ECONNREFUSED")
    return `No Docker daemon listens at ${host}; start it (systemctl start docker, or dockerd as root), or choose --sandbox bubblewrap.`;
  return `The Docker daemon at ${host} cannot be reached (${messageOf(error) || String(code)}); check that it runs and DOCKER_HOST, or choose --sandbox bubblewrap.`;
}
