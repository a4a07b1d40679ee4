import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../errors.ts";
import { loadExeca } from "../../../package/load-execa.ts";
import type { DockerConnection } from "./connection.ts";

export type PluginName = "buildx";

/** A plugin of Docker's command line that works here, ready to be called for one daemon. */
export interface DockerPlugin {
  readonly command: string;
  /** Words before those of a call. */
  readonly first: readonly string[];
  /** All that the plugin sees of the environment: how to reach the daemon, never a key of the runner's. */
  readonly env: Readonly<Record<string, string>>;
}

/** Looks for plugins when they are first needed, once each. `why` is a word for what needs it, with its place, and begins the refusal. */
export interface DockerPlugins {
  /** @throws ConfigError with the cure where it is not there. */
  need(name: PluginName, why: string): Promise<DockerPlugin>;
}

const cures: Readonly<Record<PluginName, string>> = {
  buildx: "install Docker's buildx plugin (package docker-buildx-plugin, or docker-buildx), or write that step without it",
};

/** The only variables of the runner's that a plugin is given. */
const passed = ["PATH", "HOME", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "SSH_AUTH_SOCK"];

export function dockerPlugins({ host }: DockerConnection, from: NodeJS.ProcessEnv = process.env): DockerPlugins {
  const own = passed.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]] as const]));
  const env = { ...Object.fromEntries(own), ...(host === undefined ? {} : { DOCKER_HOST: host }), BUILDX_NO_DEFAULT_ATTESTATIONS: "1" };
  const known = new Map<PluginName, Promise<DockerPlugin | undefined>>();
  return {
    async need(name, why) {
      const asked = known.get(name) ?? find(name, env);
      known.set(name, asked);
      const plugin = await asked;
      if (plugin) return plugin;
      throw new ConfigError(`${why} needs \`docker ${name}\`, which is not here; ${cures[name]}.`);
    },
  };
}

/** The plugin's own file, which works alone: behind the `docker` command it would not be reached by a signal. Else through that command. */
async function find(name: PluginName, env: Readonly<Record<string, string>>): Promise<DockerPlugin | undefined> {
  const config = env["DOCKER_CONFIG"] ?? join(env["HOME"] ?? "/root", ".docker");
  const folders = [config, "/usr/local/lib/docker", "/usr/local/libexec/docker", "/usr/lib/docker", "/usr/libexec/docker"];
  const files = folders.map((folder) => join(folder, "cli-plugins", `docker-${name}`)).filter(isProgram);
  const ways = [...files.map((command) => ({ command, first: [] })), { command: "docker", first: [name] }];
  const { execa } = await loadExeca();
  for (const way of ways) {
    const asked = [...way.first, "version"];
    const { failed } = await execa(way.command, asked, { reject: false, env, extendEnv: false, timeout: 20_000, stdin: "ignore" });
    if (!failed) return { ...way, env };
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
