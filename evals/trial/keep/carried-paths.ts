import { ConfigError } from "../../../harness/errors.ts";
import type { Task } from "../../../tasks/task.ts";

const uncarried = /^\/(tests|logs|solution)?(\/|$)/;

/**
 * What of the agent's goes into a hardened trial's verification: the declared paths, or the working directory. Asked for before an agent is paid: the
 * declared paths before anything is built, the working directory as soon as the image says which it is.
 * @throws ConfigError for one that cannot be carried: the whole file system, or a place that verification rebuilds
 */
export function carriedPaths({ folder, forge }: Pick<Task, "folder" | "forge">, workdir: string): readonly string[] {
  for (const path of forge?.paths ?? [])
    if (!path.startsWith("/") || uncarried.test(path))
      throw new ConfigError(
        `${folder}/task.toml: metadata.forge.paths: "${path}" cannot be carried into verification; name an absolute path outside /tests, /logs and /solution.`,
      );
  if (forge?.paths) return forge.paths;
  if (uncarried.test(workdir))
    throw new ConfigError(
      `${folder}: the working directory is ${workdir}, which cannot be carried into hardened verification; give the Dockerfile a WORKDIR of the task's own (such as /app), name places in task.toml, metadata.forge.paths, or choose --mode official.`,
    );
  return [workdir];
}
