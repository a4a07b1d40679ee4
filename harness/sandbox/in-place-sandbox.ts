import { randomBytes } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { BubblewrapInstance } from "./bubblewrap/bubblewrap-instance.ts";
import { bubblewrapWorks, poolOptions } from "./bubblewrap/bubblewrap-provider.ts";
import { inPlaceArguments } from "./bubblewrap/root-arguments.ts";
import { createHostSandbox } from "./host/host-sandbox.ts";
import { plainEnvironment } from "./local/local-provider.ts";
import { openLocalWorker } from "./local/local-worker.ts";
import { makePrivateRoot, removePrivateRoot } from "./host/private-root.ts";
import type { Sandbox } from "./sandbox.ts";

export interface InPlaceOptions {
  /** `bubblewrap`: the folder writable at its own path, the rest of this machine read-only, a private /tmp. `local`: no confinement. */
  readonly kind: "bubblewrap" | "local";
  /** Default false; `local` always has this machine's. */
  readonly network?: boolean;
  /** What commands get; default: PATH, HOME, LANG and the like, never keys. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A sandbox that works in a folder of this machine in place, for everyday runs. Closing it ends its processes and leaves the folder as it is. */
export async function createInPlaceSandbox(folder: string, o: InPlaceOptions): Promise<Sandbox> {
  const workdir = await realpath(folder).catch(() => {
    throw new ConfigError(`The folder ${folder} does not exist; name one that does.`);
  });
  const env = o.env ?? plainEnvironment();
  if (o.kind === "bubblewrap") {
    const works = await bubblewrapWorks();
    if (works !== true) throw new ConfigError(works);
  }
  const own = await makePrivateRoot(o.kind);
  const channels = join(own, ".forge");
  await mkdir(channels, { recursive: true, mode: 0o700 });
  const shared = { workdir, place: (path: string) => path, env: {}, remove: () => removePrivateRoot(own) };
  if (o.kind === "local") {
    const pool = { callPrefix: `${randomBytes(4).toString("hex")}-`, ownNamespace: false, open: () => openLocalWorker(channels, env) };
    return createHostSandbox({
      ...shared,
      kind: "local",
      pool,
      async endProcesses(shells) {
        await shells.killMarked();
        shells.drop();
      },
    });
  }
  const temporary = join(own, "tmp");
  await mkdir(temporary, { mode: 0o1777 });
  const instance = new BubblewrapInstance({
    root: inPlaceArguments(workdir, temporary),
    network: o.network ?? false,
    env: { ...env, XDG_CACHE_HOME: "/tmp/.cache" },
    channels,
  });
  return createHostSandbox({
    ...shared,
    kind: "bubblewrap",
    pool: poolOptions(instance),
    async endProcesses(shells) {
      await instance.end();
      shells.drop();
    },
  });
}
