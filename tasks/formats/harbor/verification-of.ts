import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { CollectHook, Verification } from "../../verification.ts";
import { resolveEnv, type Variables } from "../read/resolve-env.ts";
import { behindGateway } from "./behind-gateway.ts";
import { environmentOf } from "./environment-of.ts";
import { networkPolicy } from "./network-policy.ts";
import type { EnvironmentToml, StepToml, TaskToml, VerifierToml } from "./task-toml.ts";

export interface VerifiedPlace {
  readonly root: string;
  readonly name: string;
  readonly variables: Variables;
  /** Other services of the task. */
  readonly services: readonly string[];
}

/**
 * How a task, or one of its steps, is verified. What a step does not say comes from the task, except for its time limit: there the format's
 * default holds. Throws `ConfigError` where there is no test script.
 */
export async function verificationOf(
  config: TaskToml,
  place: VerifiedPlace,
  step?: { toml: StepToml; folder: string; key: string },
): Promise<{ verification: Verification; warnings: string[] }> {
  const file = join(place.root, "task.toml");
  const shared = join(place.root, "tests");
  const own = step ? join(step.folder, "tests") : shared;
  const toml = step?.toml.verifier ?? config.verifier;
  const tables: readonly (readonly [VerifierToml, string])[] = step
    ? [
        [config.verifier, "verifier"],
        [step.toml.verifier, `${step.key}.verifier`],
      ]
    : [[config.verifier, "verifier"]];
  for (const [table, key] of tables)
    if (table.environment_mode === "shared" && table.environment)
      throw new ConfigError(
        `${file}: ${key}.environment_mode: "shared" and an environment of its own contradict each other. Remove one of them.`,
      );
  const apart = await separate(config, place, { ...(step && { step }), own, shared });
  const folders = step ? [shared, own] : [own];
  const tests: string[] = [];
  for (const folder of folders) if (existsSync(folder)) tests.push(folder);
  if (apart?.environment.bundledTests !== true && !someScript(folders)) {
    const missing = join(own, "test.sh");
    throw new ConfigError(
      `${missing}: the task has no ${step ? `test.sh for step ${step.toml.name}` : "tests/test.sh"}. Add the script that writes the reward to /logs/verifier/reward.txt.`,
    );
  }
  const user = toml.user ?? config.verifier.user;
  const network = networkPolicy(toml, `${file}: verifier`) ?? networkPolicy(config.verifier, `${file}: verifier`);
  const env: Record<string, string> = {};
  for (const [table, key] of tables) Object.assign(env, resolveEnv(table.env, place.variables, `${file}: ${key}.env`));
  const verification: Verification = {
    timeoutMs: toml.timeout_sec * 1000,
    env,
    testsFolder: own,
    tests,
    script: "test.sh",
    reads: { type: "reward-files" },
    ...(user !== undefined && { user: String(user) }),
    ...(network && { network }),
    ...(apart && { environment: { ...apart.environment, ...behindGateway(apart.environment, network ? [{ network }] : []) } }),
    collect: tables.flatMap(([table, key]) => hooksOf(table, `${file}: ${key}.collect`, place.services)),
  };
  return { verification, warnings: apart?.warnings ?? [] };
}

type Apart = { environment: NonNullable<Verification["environment"]>; warnings: string[] };

/** The verifier's own environment, by the nearest table or folder that describes one; undefined where it shares the agent's. */
async function separate(
  config: TaskToml,
  place: VerifiedPlace,
  { step, own, shared }: { step?: { toml: StepToml; key: string }; own: string; shared: string },
): Promise<Apart | undefined> {
  const modeOf = ({ environment_mode, environment }: VerifierToml): string | undefined => environment_mode ?? (environment && "separate");
  if (((step && modeOf(step.toml.verifier)) ?? modeOf(config.verifier)) !== "separate") return undefined;
  const limits = step?.toml.verifier.environment ?? config.verifier.environment ?? config.environment;
  const table = step?.toml.verifier.environment
    ? `${step.key}.verifier.environment`
    : config.verifier.environment
      ? "verifier.environment"
      : "environment";
  const make = async (toml: EnvironmentToml, folder: string, bundledTests: boolean): Promise<Apart> => {
    const { environment, warnings } = await environmentOf(toml, { ...place, folder, name: `${place.name}-verifier`, table });
    return { environment: { ...environment, bundledTests }, warnings };
  };
  const { docker_image: _, ...rest } = limits;
  const candidates: readonly (readonly [EnvironmentToml | undefined, string])[] = [
    ...(step ? [[step.toml.verifier.environment, own] as const] : []),
    [config.verifier.environment, shared],
  ];
  for (const [environment, folder] of candidates) {
    if (environment?.docker_image !== undefined)
      return make({ ...rest, docker_image: environment.docker_image }, join(folder, "none"), true);
    if (existsSync(join(folder, "Dockerfile")) || existsSync(join(folder, "docker-compose.yaml"))) return make(rest, folder, true);
  }
  const image = config.environment.docker_image;
  return make({ ...rest, ...(image !== undefined && { docker_image: image }) }, join(place.root, "environment"), false);
}

const someScript = (folders: readonly string[]): boolean => folders.some((folder) => existsSync(join(folder, "test.sh")));

function hooksOf(table: VerifierToml, key: string, services: readonly string[]): CollectHook[] {
  return table.collect.map(({ command, service, timeout_sec, user }, index) => {
    if (service !== "main" && !services.includes(service))
      throw new ConfigError(
        `${key}.${index}.service: the task has no service "${service}". Name one of docker-compose.yaml, or leave the key out.`,
      );
    return {
      command,
      timeoutMs: timeout_sec * 1000,
      ...(service !== "main" && { service }),
      ...(user !== undefined && { user: String(user) }),
    };
  });
}
