import { ConfigError } from "../../../harness/errors.ts";
import { variableIn, type Variables } from "../read/resolve-env.ts";
import { shownValue } from "../read/shown-value.ts";
import type { TaskToml } from "./task-toml.ts";

/**
 * Nothing of the user's environment goes to a task that the user did not allow. Throws `ConfigError` with every variable that the tables of
 * `config` ask for, that has no default, and that `variables` does not know; one that is allowed and not set is known, with no value.
 */
export function refuseUnallowed(config: TaskToml, name: string, file: string, variables: Variables): void {
  const verifiers = [config.verifier, ...(config.steps ?? []).map(({ verifier }) => verifier)];
  const places = [config.environment, config.solution, ...verifiers, ...verifiers.map(({ environment }) => environment)];
  const wanted = new Set<string>();
  for (const value of places.flatMap((place) => Object.values(place?.env ?? {}))) {
    const asked = variableIn(value);
    if (asked && asked.otherwise === undefined && !Object.hasOwn(variables, asked.name)) wanted.add(asked.name);
  }
  if (wanted.size === 0) return;
  const names = [...wanted].map((one) => (/^\w{1,100}$/.test(one) ? one : shownValue(one))).join(", ");
  throw new ConfigError(
    `${file}: task "${name}" wants ${names} of your environment, and a task gets none of it that you did not allow. If you trust the task with ${wanted.size === 1 ? "it, give it" : "them, give each"} to forge bench by --task-env NAME; else leave the task out with --filter.`,
  );
}
