import { access, constants, statfs } from "node:fs/promises";
import type Docker from "dockerode";
import { execa } from "execa";
import type { StorageProbe } from "./storage-watch.ts";

/**
 * How to measure a container's writable layer: its folder on this machine where the daemon is here and lets us see it, else what the engine
 * says. The engine adds up what files seem to have (a sparse file counts whole); on this machine blocks are counted.
 */
export async function layerProbe(container: Docker.Container): Promise<StorageProbe> {
  const folder = await layerFolder(container);
  if (folder === undefined) return { measure: () => engineSays(container), free: async () => undefined };
  return {
    // Files come and go while it walks, and `du` then ends with 1 and still has a sum.
    async measure() {
      const { stdout } = await execa("du", ["-sx", "--block-size=1", "--", folder], { reject: false, timeout: 60_000, stderr: "ignore" });
      const bytes = /^\d+/.exec(stdout)?.[0];
      return bytes === undefined ? undefined : Number(bytes);
    },
    free: () =>
      statfs(folder).then(
        ({ bfree, bsize }) => bfree * bsize,
        () => undefined,
      ),
  };
}

async function layerFolder(container: Docker.Container): Promise<string | undefined> {
  const found = await container.inspect();
  // Only the overlay driver has this key.
  const data = found.GraphDriver.Data as { UpperDir?: string } | null;
  const folder = data?.UpperDir;
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
