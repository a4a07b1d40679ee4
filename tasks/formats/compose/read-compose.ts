import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Compose, Service } from "../../../harness/sandbox/compose.ts";
import { checkData, placeOf, type PlacedData } from "../read/check-data.ts";
import { isInside } from "../check/check-tree.ts";
import { readPart } from "../read/read-part.ts";
import { readYaml } from "../read/read-yaml.ts";
import { shownValue } from "../read/shown-value.ts";
import { composeSchema, serviceSchema } from "./compose-file.ts";
import { interpolate } from "./interpolate.ts";
import { orderServices } from "./order-services.ts";
import { serviceOf } from "./service-of.ts";
import type { ServicePlace } from "./service-place.ts";
import { checkServiceKeys } from "./service-keys.ts";
import { volumesLeft } from "./volumes-of.ts";

export interface ComposeOptions {
  /** The agent's service. In a Harbor task it need not be in the file: it then runs the task's own environment. */
  readonly main: string;
  readonly mainMayBeAbsent: boolean;
  /** All that `${NAME}` can name: never the environment of the runner, which holds keys. */
  readonly variables: Readonly<Record<string, string>>;
  /** Sources of volumes that stand for the runner's own log folders. */
  readonly logVolumes: readonly string[];
}

const knownTop = new Set(["services", "networks", "volumes", "version", "name"]);
const knownService: ReadonlySet<string> = new Set([...Object.keys(serviceSchema.shape), "container_name"]);

/**
 * Reads a task's compose file; undefined where there is none. Throws `ConfigError` with file, line, key and cure for what is no compose file, names
 * something that is not there, or would reach the machine outside of the task's containers.
 */
export async function readCompose(
  root: string,
  file: string,
  o: ComposeOptions,
): Promise<{ compose: Compose; warnings: string[] } | undefined> {
  const text = await readPart(root, relative(root, file));
  if (text === undefined) return undefined;
  const raw = readYaml(text, file);
  const warnings: string[] = [];
  const placed: PlacedData = { ...raw, data: fillIn(raw.data, [], { placed: raw, variables: o.variables, warnings, depth: 0 }) };
  const { config } = checkData(placed, composeSchema);
  for (const key of Object.keys(config)) {
    if (["configs", "secrets", "include"].includes(key))
      throw new ConfigError(`${placeOf(placed, [key])}: is not carried out. Remove it, or leave the task out with --filter.`);
    if (!knownTop.has(key) && !key.startsWith("x-")) warnings.push(`${placeOf(placed, [key])} is not carried out; it is left out.`);
  }
  for (const kind of ["networks", "volumes"] as const)
    for (const [name, value] of Object.entries(config[kind] ?? {}))
      if (value?.external !== undefined && value.external !== false)
        throw new ConfigError(`${placeOf(placed, [kind, name])}: is outside the task ("external"). Let the task make it itself.`);
  for (const [name, value] of Object.entries(config.networks ?? {}))
    warnings.push(...checkNetwork(value ?? {}, ["networks", name], placed));
  for (const [name, value] of Object.entries(config.volumes ?? {}))
    if (value && "driver_opts" in value && value.driver_opts !== undefined)
      throw new ConfigError(`${placeOf(placed, ["volumes", name, "driver_opts"])}: can mount the machine's own folders. Remove it.`);
  const place: ServicePlace = {
    root,
    folder: dirname(file),
    placed,
    networks: Object.keys(config.networks ?? {}),
    volumes: [...Object.keys(config.volumes ?? {}), ...o.logVolumes],
    variables: o.variables,
  };
  const services: Service[] = [];
  for (const [name, data] of Object.entries(config.services)) {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(name))
      throw new ConfigError(
        `${placeOf(placed, ["services"])}: ${shownValue(name)} cannot be a service's name. Use letters, digits and hyphens.`,
      );
    const { config: service } = checkData(within(placed, ["services", name], data ?? {}), serviceSchema);
    warnings.push(...checkServiceKeys(name, service, knownService, placed));
    if ((service.profiles ?? []).length > 0 && name !== o.main)
      warnings.push(`${placeOf(placed, ["services", name])} has a profile, so it is not started.`);
    else services.push(await serviceOf(name, service, place, warnings));
  }
  if (!services.some(({ name }) => name === o.main)) {
    if (!o.mainMayBeAbsent)
      throw new ConfigError(
        `${placeOf(placed, ["services"])}: there is no service "${o.main}", in which the agent would work. Give one that name.`,
      );
    services.push(emptyService(o.main));
  }
  warnings.push(...givenAway(services.find(({ name }) => name === o.main)?.mounts ?? [], root, file));
  const used = new Set(services.flatMap((service) => service.networks.map(({ name }) => name)));
  const kept = volumesLeft(services, o.main, o.logVolumes);
  const compose: Compose = {
    file,
    main: o.main,
    services: orderServices(kept.services, placed),
    networks: [...used].map((name) => ({ name, internal: config.networks?.[name]?.internal ?? false })),
    volumes: kept.volumes,
  };
  return { compose, warnings };
}

/** Keys of a network that change nothing for those who are on it. */
const meaninglessOfNetwork = new Set(["external", "internal", "name", "labels", "attachable", "enable_ipv4"]);

/** @throws ConfigError for a network of the machine; a sentence for each key that is left out */
function checkNetwork(network: Readonly<Record<string, unknown>>, path: readonly string[], placed: PlacedData): string[] {
  const { driver } = network;
  if (driver !== undefined && driver !== null && !["", "bridge", "default"].includes(String(driver)))
    throw new ConfigError(
      `${placeOf(placed, [...path, "driver"])}: ${shownValue(driver)} needs another network than a bridge of the task's own, which no task gets. Remove it, or leave the task out with --filter.`,
    );
  return Object.entries(network).flatMap(([key, value]) =>
    key === "driver" || meaninglessOfNetwork.has(key) || key.startsWith("x-") || value === undefined || value === null || value === false
      ? []
      : [`${placeOf(placed, [...path, key])} is not carried out; it is left out.`],
  );
}

const secretParts = ["tests", "run-tests.sh", "solution", "solution.sh", "solution.yaml"];

/** The format's own runner shows them to the agent too, so they are mounted, and said. */
function givenAway(mounts: NonNullable<Service["mounts"]>, root: string, file: string): string[] {
  const shown = secretParts
    .map((part) => join(root, part))
    .filter((path) => existsSync(path) && mounts.some(({ source }) => isInside(source, path) || isInside(path, source)));
  const names = shown.map((path) => relative(root, path)).join(", ");
  return names === "" ? [] : [`${file}: the agent sees ${names} of the task, because its container mounts them.`];
}

const emptyService = (name: string): Service => ({
  name,
  environment: {},
  dependsOn: [],
  networks: [{ name: "default", aliases: [] }],
  volumes: [],
  tmpfs: [],
  readOnly: false,
  init: false,
  tty: false,
  capAdd: [],
  capDrop: [],
});

/** A part of a file as a file of its own, for checking it: places still name the whole path. */
function within(placed: PlacedData, path: readonly string[], data: unknown): PlacedData {
  return { file: placed.file, data, prefix: path, lineOf: (rest) => placed.lineOf([...path, ...rest]) };
}

/** Every text of the file with its variables filled in; keys stay as they are. */
function fillIn(
  value: unknown,
  path: readonly string[],
  o: { placed: PlacedData; variables: Readonly<Record<string, string>>; warnings: string[]; depth: number },
): unknown {
  if (o.depth > 40) throw new ConfigError(`${o.placed.file}: the values are nested too deeply to be read. Write them flatter.`);
  const deeper = { ...o, depth: o.depth + 1 };
  if (typeof value === "string") {
    return interpolate(value, o.variables, {
      missing: (name) => void o.warnings.push(`${placeOf(o.placed, path)}: the variable ${name} is not one of the task's; it is empty.`),
      required: (name, why) => {
        throw new ConfigError(
          `${placeOf(o.placed, path)}: needs the variable ${name} (${shownValue(why)}). Set it in environment.env of task.toml.`,
        );
      },
    });
  }
  if (Array.isArray(value)) return value.map((one, index) => fillIn(one, [...path, String(index)], deeper));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillIn(one, [...path, key], deeper)]));
  return value;
}
