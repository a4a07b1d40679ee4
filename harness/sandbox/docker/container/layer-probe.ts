import { access, constants, statfs } from "node:fs/promises";
import type Docker from "dockerode";
import { loadExeca } from "../../../package/load-execa.ts";
import type { StorageProbe } from "./storage-watch.ts";

/**
 * How to measure what a container has written: its writable layer and its volumes' growth, in folders on this machine where the daemon is here and
 * lets us see them, else the layer as the engine says. The engine adds up what files seem to have (a sparse file counts whole); on this machine
 * blocks are counted.
 */
export async function layerProbe(container: Docker.Container): Promise<StorageProbe> {
  const { layer, volumes } = await foldersOf(container);
  if (layer === undefined) return { measure: () => engineSays(container), free: async () => undefined };
  // What a volume was filled with is the task's own.
  const before = volumes.length === 0 ? 0 : ((await blocksOf(volumes)) ?? 0);
  return {
    async measure() {
      const bytes = await blocksOf([layer, ...volumes]);
      return bytes === undefined ? undefined : Math.max(0, bytes - before);
    },
    free: () =>
      statfs(layer).then(
        ({ bfree, bsize }) => bfree * bsize,
        () => undefined,
      ),
  };
}

/** Files come and go while it walks, and `du` then ends with 1 and still has a sum. */
async function blocksOf(folders: readonly string[]): Promise<number | undefined> {
  const asked = ["-sxc", "--block-size=1", "--", ...folders];
  const { execa } = await loadExeca();
  const { stdout } = await execa("du", asked, { reject: false, timeout: 60_000, stderr: "ignore" });
  const bytes = /(\d+)\s+\S+\s*$/.exec(stdout)?.[1]; // the last line is the sum
  return bytes === undefined ? undefined : Number(bytes);
}

async function foldersOf(container: Docker.Container): Promise<{ layer: string | undefined; volumes: string[] }> {
  const found = await container.inspect();
  // Only the overlay driver has this key.
  const data = found.GraphDriver.Data as { UpperDir?: string } | null;
  const layer = await readable(data?.UpperDir);
  const mounted = found.Mounts.filter(({ Type, RW }) => Type === "volume" && RW).map(({ Source }) => Source);
  const volumes = (await Promise.all([...new Set(mounted)].map(readable))).filter((folder) => folder !== undefined);
  return { layer, volumes };
}

async function readable(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  return access(folder, constants.R_OK | constants.X_OK).then(
    () => folder,
    () => undefined,
  );
}

async function engineSays(container: Docker.Container): Promise<number | undefined> {
  // The client's types know neither the option nor what it adds.
  const found = (await container.inspect({ size: true } as object).catch(() => undefined)) as { SizeRw?: number } | undefined;
  return found?.SizeRw;
}
