import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../errors.ts";
import type { CreateOptions, SystemRestored } from "../provider.ts";
import type { Sandbox } from "../sandbox.ts";
import { quote } from "../shell/quote.ts";
import { imagePlaces, type SystemListing } from "./system/image-places.ts";
import { repairOf, type SystemRepair } from "./system/system-places.ts";
import { DockerSandbox } from "./container/docker-sandbox.ts";
import type { EventWatch } from "./daemon/event-watch.ts";
import { networkOf } from "./sandbox-network.ts";
import { startGateway, type Gateway, type GatewayPlan } from "./gateway/start-gateway.ts";
import { changesOf, restoreSystem } from "./system/restore-system.ts";
import { containerOptions } from "./container/container-limits.ts";
import { joinedTo, ownLabels, startContainer } from "./container/start-container.ts";
import { stripRights } from "./system/strip-rights.ts";

/** An image with what it holds in its system's folders. */
export interface KnownImage {
  readonly id: string;
  readonly listing: SystemListing;
}

/**
 * A sandbox with the whole file system that `left` has now, but for the system's own places, which are the image's again before its first process
 * starts. Its processes are new. What ran in `left` must have been ended.
 */
export async function snapshotSandbox(
  docker: Docker,
  events: EventWatch,
  image: KnownImage,
  left: Sandbox,
  o: CreateOptions & { readonly own: readonly string[] },
  plan?: GatewayPlan,
): Promise<{ sandbox: DockerSandbox } & SystemRestored> {
  const before = containerOf(docker, left);
  const repair = await repairFor(before, image, left, o.own);
  const labels = Object.entries(ownLabels(o.labels)).map(([key, value]) => `LABEL ${JSON.stringify(key)}=${JSON.stringify(value)}`);
  const { Id: snapshot }: { Id: string } = await before.commit({ changes: labels.join("\n") }).catch((error: unknown) => {
    throw new InfraError(`The agent's file system could not be kept for verification: ${messageOf(error)}.`);
  });
  const removeImage = (): Promise<unknown> => docker.getImage(snapshot).remove({ force: true });
  let gateway: Gateway | undefined;
  let container: Docker.Container | undefined;
  try {
    gateway = plan && (await startGateway(docker, events, plan, o));
    container = await docker.createContainer(containerOptions(snapshot, o, [], await joinedTo(docker, o, gateway)));
    const gone = await withPristine(docker, image, o, async (pristine) =>
      container ? restoreSystem(container, pristine, repair, image.listing) : [],
    );
    const made = container;
    const network = networkOf(docker, made, gateway);
    const remove = async (): Promise<void> => {
      await (network.remove?.() ?? made.remove({ force: true, v: true }));
      await removeImage().catch(() => undefined); // the sweep removes what cannot be removed now
    };
    const sandbox = new DockerSandbox(made, left.workdir, { log: await events.container(made.id), ...network, remove });
    await startContainer(made);
    if (o.storageMb !== undefined) await sandbox.limitStorage(o.storageMb * 1024 * 1024);
    await sandbox.warm();
    await takeAway(sandbox, gone);
    return { sandbox, ...(await restored(sandbox, image, repair, gone)) };
  } catch (error) {
    await container?.remove({ force: true, v: true }).catch(() => undefined);
    await gateway?.remove().catch(() => undefined);
    await removeImage().catch(() => undefined);
    throw error;
  }
}

/** The same repair in the sandbox itself, for verification beside processes that go on running there. */
export async function repairInPlace(
  docker: Docker,
  image: KnownImage,
  left: Sandbox,
  o: CreateOptions & { readonly own: readonly string[] },
): Promise<SystemRestored> {
  const container = containerOf(docker, left);
  const repair = await repairFor(container, image, left, o.own);
  const gone = await withPristine(docker, image, o, (pristine) => restoreSystem(container, pristine, repair, image.listing));
  await takeAway(left, gone);
  return restored(left, image, repair, gone);
}

async function repairFor(
  container: Docker.Container,
  { listing }: KnownImage,
  left: Sandbox,
  own: readonly string[],
): Promise<SystemRepair> {
  return repairOf(await changesOf(container), imagePlaces(listing, left.workdir), [...own, left.workdir]);
}

async function restored(sandbox: Sandbox, { listing }: KnownImage, repair: SystemRepair, gone: readonly string[]): Promise<SystemRestored> {
  const stripped = await stripRights(sandbox, repair.kept, listing);
  return { restored: [...repair.restore, ...repair.whole, ...repair.accounts, ...stripped], removed: gone };
}

function containerOf(docker: Docker, sandbox: Sandbox): Docker.Container {
  if (sandbox instanceof DockerSandbox) return docker.getContainer(sandbox.id);
  throw new ConfigError(`A sandbox of kind ${sandbox.kind} has no file system of its own to continue from; choose --sandbox docker.`);
}

/** A container of the image that is never started: files are read from it. */
async function withPristine<T>(docker: Docker, { id }: KnownImage, o: CreateOptions, use: (pristine: Docker.Container) => Promise<T>) {
  const pristine = await docker.createContainer(containerOptions(id, o.labels ? { labels: o.labels } : {}));
  try {
    return await use(pristine);
  } finally {
    await pristine.remove({ force: true, v: true }).catch(() => undefined);
  }
}

const safePath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** They are empty and no program by now; this only tidies up. */
async function takeAway(sandbox: Sandbox, paths: readonly string[]): Promise<void> {
  for (let i = 0; i < paths.length; i += 200) {
    const some = paths
      .slice(i, i + 200)
      .map(quote)
      .join(" ");
    await sandbox.exec(`PATH=${safePath} rm -rf -- ${some}`, { cwd: "/" });
  }
}
