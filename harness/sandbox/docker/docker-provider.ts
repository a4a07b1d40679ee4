import { readFile } from "node:fs/promises";
import type Docker from "dockerode";
import { ConfigError } from "../../errors.ts";
import { hasEnded, thisOwner } from "../owner.ts";
import type { CreateOptions, Environment, PrepareOptions, SandboxProvider } from "../provider.ts";
import { baseImage, bootstrapBaseImage } from "./image/base-image.ts";
import { boundFor } from "./daemon/limit-operations.ts";
import { checkEnvironment } from "./image/check-environment.ts";
import { connect, connectionFromEnvironment, daemonAnswers, type DockerConnection } from "./daemon/connection.ts";
import { createComposed, createSingle } from "./create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import type { SystemListing } from "./system/image-places.ts";
import { dockerPlugins } from "./daemon/docker-plugin.ts";
import type { DockerSandbox } from "./container/docker-sandbox.ts";
import { createEventWatch, type EventWatch } from "./daemon/event-watch.ts";
import { gatewayImage } from "./gateway/gateway-image.ts";
import type { GatewayPlan } from "./gateway/start-gateway.ts";
import { trimImages } from "./image/image-cache.ts";
import { createRelayPool, type RelayPool } from "./port/relay-pool.ts";
import { repairInPlace, snapshotSandbox, type KnownImage } from "./snapshot-sandbox.ts";
import { systemListing } from "./system/system-listing.ts";
import { taskImages } from "./image/task-image.ts";

export interface DockerProviderOptions {
  /** Default: DOCKER_HOST, else Docker's socket, else Podman's. */
  readonly connection?: DockerConnection;
  /** A control group above all containers, which bounds them together; whoever names it has made it. */
  readonly cgroupParent?: string;
  /** Addresses of the name servers that gateways ask; default: the engine's. */
  readonly dns?: readonly string[];
}

/** Sandboxes as containers of a Docker daemon, or of anything that speaks its Engine API. */
export function createDockerProvider(o: DockerProviderOptions = {}): SandboxProvider {
  const connection = o.connection ?? connectionFromEnvironment();
  const plugins = dockerPlugins(connection);
  let daemon: { readonly docker: Docker; readonly events: EventWatch } | undefined;
  /** Made when it is first needed: every bench has this provider, also where it runs in no container. */
  const client = () => (daemon ??= withEvents(connect(connection)));
  const above = o.cgroupParent === undefined ? {} : { cgroupParent: o.cgroupParent };
  let making: Promise<string> | undefined;
  /** Asked for by several tasks at once, its image is built once. */
  const gatewayPlan = async (options: PrepareOptions): Promise<GatewayPlan> => {
    making ??= gatewayImage(client().docker, plugins, options).finally(() => (making = undefined));
    return { image: await making, ...(o.dns ? { dns: o.dns } : {}) };
  };
  /** Needed where another agent runs alone: made once, if it is not there. */
  let basing: Promise<string> | undefined;
  const relay = (): Promise<string> => {
    basing ??= bootstrapBaseImage({ connection })
      .then(() => baseImage)
      .finally(() => (basing = undefined));
    return basing;
  };
  let pool: RelayPool | undefined;
  const relays = (): RelayPool => (pool ??= createRelayPool(client().docker, relay));
  return {
    kind: "docker",
    available: () => daemonAnswers(client().docker, connection),
    check: (environment) => checkEnvironment(client().docker, plugins, environment),
    async prepare(environment, options = {}) {
      const { docker, events } = client();
      const images = await taskImages(docker, environment, { ...options, plugins });
      const plan = environment.gateway && !environment.compose ? await gatewayPlan(options) : undefined;
      const workdir = environment.workdir ?? mainService(environment)?.workingDir ?? images.main.workdir;
      /** A list of hosts never runs open. */
      const held = <O extends CreateOptions>(options: O): O => {
        if (options.hosts && !plan) throw new ConfigError(`${environment.name}: a network limited to a list of hosts needs a gateway.`);
        return { ...options, ...above };
      };
      const create = async (options: CreateOptions = {}): Promise<DockerSandbox> =>
        environment.compose
          ? createComposed(docker, events, environment.compose, images, workdir, held(options), { relay })
          : createSingle(docker, events, images.main, workdir, held(options), { gateway: plan, relay, relays: relays() });
      if (environment.compose) return { digest: images.digest, workdir, deviations: images.deviations, create };
      let listing: Promise<SystemListing> | undefined;
      const known = async (): Promise<KnownImage> => {
        listing ??= withSandbox(createSingle(docker, events, images.main, workdir, above, { relay }), systemListing);
        listing.catch(() => (listing = undefined));
        return { id: images.main.id, listing: await listing };
      };
      return {
        digest: images.digest,
        workdir,
        deviations: images.deviations,
        create,
        createFrom: async (left, o) => snapshotSandbox(docker, events, await known(), left, held(o), plan),
        repair: async (left, o) => repairInPlace(docker, await known(), left, o),
      };
    },
    async capacity() {
      const { docker } = client();
      const { NCPU: cpus, MemTotal: memoryBytes, DockerRootDir: folder } = (await docker.info()) as DaemonInfo; // `any` in its types
      boundFor(docker, cpus);
      const local = connection.host?.startsWith("unix://") ?? true;
      const pids = local ? await processesOfMachine() : undefined;
      return { cpus, memoryBytes, folder, local, ...(pids === undefined ? {} : { pids }) };
    },
    trim: (bytes) => trimImages(client().docker, { bytes, now: Date.now() }),
    sweep: () => removeLabelled(client().docker, ofEndedProcess),
    async tidy(job) {
      await pool?.drop(job);
      return removeLabelled(client().docker, ofThisProcess(job));
    },
  };
}

const withEvents = (docker: Docker) => ({ docker, events: createEventWatch(docker) });

async function processesOfMachine(): Promise<number | undefined> {
  const most = await Promise.all(["pid_max", "threads-max"].map((name) => readFile(`/proc/sys/kernel/${name}`, "utf8").catch(() => "")));
  const known = most.map(Number).filter((value) => value > 0);
  return known.length > 0 ? Math.min(...known) : undefined;
}

interface DaemonInfo {
  readonly NCPU: number;
  readonly MemTotal: number;
  readonly DockerRootDir: string;
}

async function withSandbox<T>(made: Promise<Sandbox>, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = await made;
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

function mainService({ compose }: Environment) {
  return compose?.services.find(({ name }) => name === compose.main);
}

type Labels = Readonly<Record<string, string>> | undefined | null;

const ofEndedProcess = (labels: Labels): boolean =>
  hasEnded({ process: labels?.["forge.owner"] ?? "", place: labels?.["forge.place"] ?? "" });

function ofThisProcess(job: string): (labels: Labels) => boolean {
  const { process, place } = thisOwner();
  return (labels) => labels?.["forge.job"] === job && labels["forge.owner"] === process && labels["forge.place"] === place;
}

/** Everything of Forge's whose labels say so: containers first, which use the others. */
async function removeLabelled(docker: Docker, left: (labels: Labels) => boolean): Promise<number> {
  const filters = { label: ["forge.owner"] };
  const containers = (await docker.listContainers({ all: true, filters })).filter(({ Labels: labels }) => left(labels));
  const removed = await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  const networks = (await docker.listNetworks({ filters })).filter(({ Labels: labels }) => left(labels));
  const volumes = (await docker.listVolumes({ filters })).Volumes.filter(({ Labels: labels }) => left(labels));
  const images = (await docker.listImages({ filters })).filter(({ Labels: labels }) => left(labels));
  const others = await Promise.allSettled([
    ...images.map(({ Id }) => docker.getImage(Id).remove({ force: true })),
    ...networks.map(({ Id }) => docker.getNetwork(Id).remove()),
    ...volumes.map(({ Name }) => docker.getVolume(Name).remove()),
  ]);
  return [...removed, ...others].filter(({ status }) => status === "fulfilled").length;
}
