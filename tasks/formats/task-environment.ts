import { join } from "node:path";
import { ConfigError } from "../../harness/errors.ts";
import type { Task } from "../task.ts";
import { exists } from "./exists.ts";
import type { TaskToml } from "./task-toml.ts";

/**
 * Where a task runs and what it gets there, all but its variables. Throws `ConfigError` for a task without an environment, or with one that
 * Forge does not carry out.
 */
export async function environmentOf(config: TaskToml, root: string, name: string): Promise<Omit<Task["environment"], "env">> {
  return { ...(await place(config, root, name)), ...limits(config, join(root, "task.toml")), mcpServers: [] };
}

async function place(
  config: TaskToml,
  root: string,
  name: string,
): Promise<Pick<Task["environment"], "name" | "folder" | "image" | "buildTimeoutMs">> {
  const folder = join(root, "environment");
  const image = config.environment.docker_image;
  const dockerfile = await exists(join(folder, "Dockerfile"));
  if (await exists(join(folder, "docker-compose.yaml"))) {
    throw new ConfigError(
      `${join(folder, "docker-compose.yaml")}: tasks with several services are not carried out yet. Leave this task out with --filter.`,
    );
  }
  if (!dockerfile && image === undefined) {
    throw new ConfigError(
      `${folder}/Dockerfile: the task has no environment. Write a Dockerfile there, or name an image in environment.docker_image of task.toml.`,
    );
  }
  return {
    name,
    ...(dockerfile && { folder }),
    ...(image !== undefined && { image }),
    buildTimeoutMs: config.environment.build_timeout_sec * 1000,
  };
}

function limits(
  config: TaskToml,
  file: string,
): Pick<Task["environment"], "cpus" | "memoryMb" | "storageMb" | "network" | "networkPolicy"> {
  const { cpus, memory, memory_mb, storage, storage_mb, network_mode, allow_internet } = config.environment;
  const memoryMb = sizeMb(memory, memory_mb, `${file}: environment.memory`);
  const storageMb = sizeMb(storage, storage_mb, `${file}: environment.storage`);
  // The newer key wins, as in Harbor's runner; without either the network is on.
  const network = network_mode === undefined ? (allow_internet ?? true) : network_mode === "public";
  return {
    ...(cpus !== undefined && { cpus }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(storageMb !== undefined && { storageMb }),
    network,
    networkPolicy: { mode: network ? "public" : "no-network" },
  };
}

/** The older keys `memory = "2G"` and `storage = "10G"` in MiB. Throws `ConfigError` when they contradict the newer ones. */
function sizeMb(text: string | undefined, mb: number | undefined, key: string): number | undefined {
  if (text === undefined) return mb;
  const factor = { G: 1024, M: 1, K: 1 / 1024 }[text.trim().slice(-1).toUpperCase()] ?? 1;
  const own = Math.trunc(Number.parseFloat(text) * factor);
  if (mb !== undefined && mb !== own)
    throw new ConfigError(`${key}: "${text}" and ${key.split(".").at(-1)}_mb = ${mb} contradict each other. Keep one of them.`);
  return own;
}
