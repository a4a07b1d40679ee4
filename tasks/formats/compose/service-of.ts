import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Build, Service, ServiceHealthcheck } from "../../../harness/sandbox/compose.ts";
import { placeOf } from "../read/check-data.ts";
import { isInside } from "../check/check-tree.ts";
import { environmentBounds } from "../check/environment-bounds.ts";
import { imageNameIs, isImageName } from "../check/image-name.ts";
import { shownValue } from "../read/shown-value.ts";
import { countOf, sizeMb, timeMs } from "./amounts.ts";
import type { ServiceData } from "./compose-file.ts";
import { environmentVariables } from "./environment-variables.ts";
import { pairsOf } from "./pairs-of.ts";
import type { ServicePlace } from "./service-place.ts";
import { checkBuildKeys } from "./build-keys.ts";
import { splitWords } from "./split-words.ts";
import { volumesOf } from "./volumes-of.ts";

/** One service with its short forms written out. Throws `ConfigError`. */
export async function serviceOf(name: string, data: ServiceData, place: ServicePlace, warnings: string[]): Promise<Service> {
  const at = (key: string): string => placeOf(place.placed, ["services", name, key]);
  const wordsOf = (key: "command" | "entrypoint"): string[] | undefined => {
    const value = data[key];
    if (value === undefined || value === null) return undefined;
    const words = typeof value === "string" ? splitWords(value) : value;
    if (!words) throw new ConfigError(`${at(key)}: a quote is not closed. Close it, or write the command as a list.`);
    return words;
  };
  const command = wordsOf("command");
  const entrypoint = wordsOf("entrypoint");
  const build = data.build === undefined ? undefined : await buildOf(data.build, at("build"), place, warnings);
  const image = data.image === undefined || data.image === "" || build ? undefined : data.image;
  if (image !== undefined && !isImageName(image))
    throw new ConfigError(`${at("image")}: expected ${imageNameIs}, got ${shownValue(image)}. Correct the value.`);
  const limits = data.deploy?.resources?.limits;
  const cpus = countOf(limits?.cpus ?? data.cpus);
  const memoryMb = sizeMb(limits?.memory ?? data.mem_limit);
  for (const [what, value, { least, most }] of [
    ["cpus", cpus, environmentBounds.cpus],
    ["memory, in MiB,", memoryMb, environmentBounds.memoryMb],
  ] as const)
    if (value !== undefined && (value < least || value > most))
      throw new ConfigError(
        `${placeOf(place.placed, ["services", name])}: its limit of ${what} is ${value}, and must be from ${least} to ${most}. Correct it.`,
      );
  const pids = countOf(limits?.pids ?? data.pids_limit);
  const shmMb = sizeMb(data.shm_size);
  const healthcheck = healthcheckOf(data, at("healthcheck"));
  const restart = (["always", "on-failure", "unless-stopped"] as const).find(
    (policy) => data.restart === policy || data.restart?.startsWith(`${policy}:`),
  );
  const { volumes, mounts, tmpfs } = await volumesOf(name, data.volumes ?? [], place);
  if (data.read_only && mounts.some(({ type }) => type === "file"))
    throw new ConfigError(
      `${at("volumes")}: a single file cannot be put into a container whose file system is read-only. Mount its folder instead.`,
    );
  return {
    name,
    ...(build && { build }),
    ...(image !== undefined && { image }),
    ...(command && { command }),
    ...(entrypoint && { entrypoint }),
    environment: await environmentVariables(name, data, place, warnings),
    ...(data.working_dir !== undefined && { workingDir: data.working_dir }),
    ...(data.user !== undefined && { user: data.user }),
    ...(data.hostname !== undefined && { hostname: data.hostname }),
    ...(healthcheck && { healthcheck }),
    dependsOn: dependsOnOf(data, at("depends_on")),
    networks: networksOf(data, at, place),
    volumes,
    ...(mounts.length > 0 && { mounts }),
    tmpfs: [...tmpfs, ...(data.tmpfs ?? []).map((text) => text.split(":")[0] ?? text)],
    ...(cpus !== undefined && { cpus }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(pids !== undefined && { pids }),
    ...(shmMb !== undefined && { shmMb }),
    readOnly: data.read_only,
    init: data.init,
    tty: data.tty,
    ...(restart && { restart }),
    capAdd: data.cap_add ?? [],
    capDrop: data.cap_drop ?? [],
    ...(data.platform !== undefined && { platform: data.platform }),
    ...surroundingsOf(data, at),
  };
}

function surroundingsOf(data: ServiceData, at: (key: string) => string): Pick<Service, "extraHosts" | "dns" | "ulimits" | "groups"> {
  const hosts = Array.isArray(data.extra_hosts)
    ? data.extra_hosts.map((text) => text.replace("=", ":"))
    : Object.entries(data.extra_hosts ?? {}).flatMap(([name, addresses]) => addresses.map((address) => `${name}:${address}`));
  if (hosts.some((text) => text.endsWith(":host-gateway")))
    throw new ConfigError(`${at("extra_hosts")}: needs the machine itself ("host-gateway"), which no task gets. Make it a service.`);
  const { dns: servers, dns_search: search, dns_opt: options, ulimits, group_add: groups } = data;
  return {
    ...(hosts.length > 0 && { extraHosts: hosts }),
    ...((servers ?? search ?? options) && { dns: { servers: servers ?? [], search: search ?? [], options: options ?? [] } }),
    ...(ulimits && {
      ulimits: Object.entries(ulimits).map(([name, limit]) =>
        typeof limit === "object"
          ? { name, soft: Number(limit.soft), hard: Number(limit.hard) }
          : { name, soft: Number(limit), hard: Number(limit) },
      ),
    }),
    ...(groups && { groups }),
  };
}

async function buildOf(
  data: NonNullable<ServiceData["build"]>,
  key: string,
  { root, folder, variables }: ServicePlace,
  warnings: string[],
): Promise<Build> {
  if (typeof data !== "string") warnings.push(...checkBuildKeys(data, key));
  const { context, dockerfile, target, args } =
    typeof data === "string" ? { context: data, dockerfile: undefined, target: undefined, args: undefined } : data;
  if (/^[a-z]+:\/\/|^git@|\.git(#|$)/.test(context))
    throw new ConfigError(`${key}: ${shownValue(context)} is outside the task. Put the files into the task's folder.`);
  const path = resolve(folder, context === "" ? "." : context);
  const recipe = resolve(path, dockerfile ?? "Dockerfile");
  if (!isInside(root, path) || !isInside(root, recipe))
    throw new ConfigError(`${key}: ${shownValue(dockerfile ?? context)} is outside the task's folder. Put the files into it.`);
  if (!existsSync(recipe))
    throw new ConfigError(`${key}: ${join(path, dockerfile ?? "Dockerfile")} does not exist. Write it, or name an image.`);
  const values: Record<string, string> = {};
  for (const [name, value] of pairsOf(args)) {
    const own = value ?? variables[name];
    if (own !== undefined) values[name] = own;
  }
  return {
    context: path,
    ...(dockerfile !== undefined && dockerfile !== "Dockerfile" && { dockerfile }),
    ...(target !== undefined && { target }),
    args: values,
  };
}

function healthcheckOf({ healthcheck }: ServiceData, key: string): ServiceHealthcheck | "none" | undefined {
  if (!healthcheck) return undefined;
  const { test, interval, timeout, start_period, retries } = healthcheck;
  const words = typeof test === "string" ? ["CMD-SHELL", test] : test;
  if (healthcheck.disable === true || words?.[0] === "NONE") return "none";
  if (!words) return undefined;
  if (!["CMD", "CMD-SHELL"].includes(words[0] ?? "") || words.length < 2)
    throw new ConfigError(`${key}.test: begins with ${shownValue(words[0])}. Begin it with "CMD" or "CMD-SHELL" and a command.`);
  return {
    test: words,
    intervalMs: timeMs(interval) ?? 30_000,
    timeoutMs: timeMs(timeout) ?? 30_000,
    startPeriodMs: timeMs(start_period) ?? 0,
    retries: countOf(retries) ?? 3,
  };
}

const conditions = { service_started: "started", service_healthy: "healthy", service_completed_successfully: "completed" } as const;

function dependsOnOf({ depends_on }: ServiceData, key: string): Service["dependsOn"] {
  if (!depends_on) return [];
  if (Array.isArray(depends_on)) return depends_on.map((service) => ({ service, condition: "started" }));
  return Object.entries(depends_on).map(([service, value]) => {
    const asked = value?.condition ?? "service_started";
    const condition = Object.entries(conditions).find(([name]) => name === asked)?.[1];
    if (!condition)
      throw new ConfigError(`${key}: ${shownValue(asked)} is no condition. Write one of ${Object.keys(conditions).join(", ")}.`);
    return { service, condition };
  });
}

function networksOf(
  { networks, network_mode, container_name }: ServiceData,
  at: (key: string) => string,
  place: ServicePlace,
): Service["networks"] {
  if (container_name !== undefined) refuseFixedName(container_name, at("container_name"), place);
  const called = container_name ? [container_name] : [];
  if (network_mode === "none") return [];
  const named: [string, string[]][] = Array.isArray(networks)
    ? networks.map((name) => [name, []])
    : Object.entries(networks ?? {}).map(([name, value]) => [name, value?.aliases ?? []]);
  for (const [name] of named)
    if (name !== "default" && !place.networks.includes(name))
      throw new ConfigError(`${at("networks")}: there is no network ${shownValue(name)}. Declare it under networks of this file.`);
  return (named.length === 0 ? [["default", []] as const] : named).map(([name, aliases]) => ({ name, aliases: [...aliases, ...called] }));
}

/** Two trials at a time would want the same name. One made of the runner's variables differs for each, and is kept as a name in the network. */
function refuseFixedName(name: string, key: string, { variables }: ServicePlace): void {
  const own = Object.entries(variables).some(
    ([variable, value]) => /^T_BENCH_|^COMPOSE_PROJECT_NAME$/.test(variable) && value !== "" && name.includes(value),
  );
  if (!own)
    throw new ConfigError(
      `${key}: ${shownValue(name)} is the same for each trial, so two could not run at a time. Remove it; the service's own name is known in its network.`,
    );
}
