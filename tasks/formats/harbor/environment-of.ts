import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { McpServer } from "../../../harness/extensions/mcp/mcp-server.ts";
import type { Healthcheck } from "../../../harness/sandbox/healthcheck.ts";
import type { TaskEnvironment } from "../../task-environment.ts";
import { collapse } from "../compose/collapse.ts";
import { readCompose } from "../compose/read-compose.ts";
import { environmentBounds } from "../check/environment-bounds.ts";
import { resolveEnv, type Variables } from "../read/resolve-env.ts";
import { shownValue } from "../read/shown-value.ts";
import { networkPolicy } from "./network-policy.ts";
import type { EnvironmentToml, HealthcheckToml, McpServerToml } from "./task-toml.ts";

export interface EnvironmentPlace {
  readonly root: string;
  /** Holds Dockerfile or docker-compose.yaml. */
  readonly folder: string;
  /** What the image is called after. */
  readonly name: string;
  /** Of the table in task.toml, for messages: `environment`, `verifier.environment`, … */
  readonly table: string;
  readonly variables: Variables;
}

/** An environment as a table of task.toml and a folder describe it. Throws `ConfigError` for one that is not there, or that no runner here has. */
export async function environmentOf(
  config: EnvironmentToml,
  place: EnvironmentPlace,
): Promise<{ environment: TaskEnvironment; warnings: string[] }> {
  const key = `${join(place.root, "task.toml")}: ${place.table}`;
  refuse(config, key);
  const env = resolveEnv(config.env, place.variables, `${key}.env`);
  const composeFile = join(place.folder, "docker-compose.yaml");
  const dockerfile = existsSync(join(place.folder, "Dockerfile"));
  const limits = limitsOf(config, key);
  const image = config.docker_image;
  const composed = await readCompose(place.root, composeFile, {
    main: "main",
    mainMayBeAbsent: true,
    logVolumes,
    variables: { ...env, ...runnersVariables(place.folder, image, limits) },
  });
  const single = composed && collapse(composed.compose, true);
  const compose = single ? undefined : composed?.compose;
  const main = compose?.services.find(({ name }) => name === "main");
  const folder = dockerfile ? place.folder : single?.folder;
  if (folder === undefined && (image ?? single?.image) === undefined && !main?.build && main?.image === undefined) {
    throw new ConfigError(
      `${join(place.folder, "Dockerfile")}: the task has no environment. Write a Dockerfile there, or name an image in ${place.table}.docker_image of task.toml.`,
    );
  }
  const workdir = config.workdir ?? single?.workdir;
  const environment: TaskEnvironment = {
    name: place.name,
    ...(folder !== undefined && { folder }),
    // A compose file comes after task.toml, so its image wins; a Dockerfile wins over that.
    ...((single?.image ?? image) !== undefined && (folder === undefined || image !== undefined) && { image: single?.image ?? image ?? "" }),
    buildTimeoutMs: config.build_timeout_sec * 1000,
    ...limits,
    ...(single?.cpus !== undefined && { cpus: single.cpus }),
    ...(single?.memoryMb !== undefined && { memoryMb: single.memoryMb }),
    ...(single?.network === false && { network: false, networkPolicy: { mode: "no-network" } }),
    env: { ...single?.env, ...env },
    ...(workdir !== undefined && { workdir }),
    ...(config.healthcheck && { healthcheck: healthcheckOf(config.healthcheck) }),
    mcpServers: config.mcp_servers.map((server, index) => mcpServerOf(server, `${key}.mcp_servers.${index}`)),
    ...(compose && { compose }),
  };
  const unread =
    config.skills_dir === undefined
      ? []
      : [`${key}.skills_dir: Forge's agent reads no skills, so it does not see those of ${shownValue(config.skills_dir)}.`];
  return { environment: { ...environment, ...(unread.length > 0 && { unread }) }, warnings: [...(composed?.warnings ?? []), ...unread] };
}

/** Names that stand for the runner's log folders in older tasks, each mounted where its counterpart says. */
const logVolumes = ["forge-verifier-logs", "forge-agent-logs", "forge-artifacts"];

/** What Harbor's runner sets for a compose file. */
function runnersVariables(
  folder: string,
  image: string | undefined,
  { cpus, memoryMb }: { cpus?: number; memoryMb?: number },
): Record<string, string> {
  return {
    CONTEXT_DIR: folder,
    MAIN_IMAGE_NAME: "",
    PREBUILT_IMAGE_NAME: image ?? "",
    TEST_DIR: "/tests",
    CPUS: cpus === undefined ? "" : String(cpus),
    MEMORY: memoryMb === undefined ? "" : `${memoryMb}M`,
    COMPOSE_PROJECT_NAME: "forge-task",
    HOST_VERIFIER_LOGS_PATH: "forge-verifier-logs",
    HOST_AGENT_LOGS_PATH: "forge-agent-logs",
    HOST_ARTIFACTS_PATH: "forge-artifacts",
    ENV_VERIFIER_LOGS_PATH: "/logs/verifier",
    ENV_AGENT_LOGS_PATH: "/logs/agent",
    ENV_ARTIFACTS_PATH: "/logs/artifacts",
  };
}

export const healthcheckOf = (toml: HealthcheckToml): Healthcheck => ({
  command: toml.command,
  intervalMs: toml.interval_sec * 1000,
  timeoutMs: toml.timeout_sec * 1000,
  startPeriodMs: toml.start_period_sec * 1000,
  startIntervalMs: toml.start_interval_sec * 1000,
  retries: toml.retries,
});

/** Running such a task without it would measure something else under its name. */
function refuse({ gpus, tpu, os }: EnvironmentToml, key: string): void {
  if ((gpus ?? 0) > 0)
    throw new ConfigError(
      `${key}.gpus: the task needs ${gpus} GPU${gpus === 1 ? "" : "s"}, and Forge runs tasks on processors alone. Leave it out with --filter.`,
    );
  if (tpu) throw new ConfigError(`${key}.tpu: the task needs a TPU, and Forge runs tasks on processors alone. Leave it out with --filter.`);
  if ((os ?? "linux").toLowerCase() !== "linux")
    throw new ConfigError(
      `${key}.os: the task needs containers of ${JSON.stringify(os)}, and Forge runs Linux alone. Leave it out with --filter.`,
    );
}

function limitsOf(
  config: EnvironmentToml,
  key: string,
): Pick<TaskEnvironment, "cpus" | "memoryMb" | "storageMb" | "network" | "networkPolicy"> {
  const memoryMb = sizeMb(config.memory, config.memory_mb, `${key}.memory`, environmentBounds.memoryMb);
  const storageMb = sizeMb(config.storage, config.storage_mb, `${key}.storage`, environmentBounds.storageMb);
  // The newer key wins, as in Harbor's runner; without either the network is on.
  const policy = networkPolicy(config, key) ?? { mode: config.allow_internet === false ? "no-network" : "public" };
  return {
    ...(config.cpus !== undefined && { cpus: config.cpus }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(storageMb !== undefined && { storageMb }),
    network: policy.mode !== "no-network",
    networkPolicy: policy,
  };
}

/** The older keys `memory = "2G"` and `storage = "10G"` in MiB. Throws `ConfigError` when they contradict the newer ones. */
function sizeMb(
  text: string | undefined,
  mb: number | undefined,
  key: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return mb;
  const factor = { G: 1024, M: 1, K: 1 / 1024 }[text.trim().slice(-1).toUpperCase()] ?? 1;
  const own = Math.trunc(Number.parseFloat(text) * factor);
  if (mb !== undefined && mb !== own)
    throw new ConfigError(`${key}: "${text}" and ${key.split(".").at(-1)}_mb = ${mb} contradict each other. Keep one of them.`);
  if (own < least || own > most)
    throw new ConfigError(`${key}: expected a size from ${least}M to ${most}M, got "${text}". Correct the value, or remove the key.`);
  return own;
}

function mcpServerOf({ name, transport, url, command, args, headers }: McpServerToml, key: string): McpServer {
  if (transport === "stdio") {
    if (command === undefined)
      throw new ConfigError(`${key}: a server with transport "stdio" needs a command. Add it, or a url and another transport.`);
    if (Object.keys(headers).length > 0)
      throw new ConfigError(
        `${key}.headers: a server with transport "stdio" is sent no headers. Remove them, or choose another transport.`,
      );
    return { name, transport, command, args };
  }
  if (url === undefined)
    throw new ConfigError(`${key}: a server with transport "${transport}" needs a url. Add it, or transport = "stdio" and a command.`);
  if (!/^https?:$/.test(protocolOf(url)))
    throw new ConfigError(`${key}.url: ${JSON.stringify(url.slice(0, 200))} is no address of a server. Write http://host:port/path.`);
  return { name, transport: transport === "http" ? "streamable-http" : transport, url, headers };
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}
