/** The reaper's program: `reap <owner> <place> <kinds> [<docker host>…]`. Waits for the end of its standard input; see `start-reaper.ts`. */
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { hasEnded } from "../../../harness/sandbox/owner.ts";

/** A daemon may still be making what was asked of it in the last moment, or be restarting: looks again after these milliseconds, then ends. */
const looks = [0, 500, 1_500, 3_000, 5_000, 10_000];
const ownerEndsWithinMs = 10_000;

const [owner = "", place = "", kinds = "", ...dockerHosts] = process.argv.slice(2);
// A terminal's Ctrl-C does not come here, but a signal to all of a user's processes may: what was left must still go.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const said = await text(process.stdin).catch(() => "");
if (!said.startsWith("released")) await reap();
process.exit(0);

async function reap(): Promise<void> {
  for (let waited = 0; !hasEnded({ process: owner, place }) && waited < ownerEndsWithinMs; waited += 100) await wait(100);
  const { createDockerProvider } = await import("../../../harness/sandbox/docker/docker-provider.ts");
  const { createDockerHosts } = await import("../../../harness/sandbox/docker/docker-hosts.ts");
  const { createBubblewrapProvider } = await import("../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts");
  const { createLocalProvider } = await import("../../../harness/sandbox/local/local-provider.ts");
  const made = {
    docker: () => (dockerHosts.length > 0 ? createDockerHosts(dockerHosts) : createDockerProvider()),
    bubblewrap: createBubblewrapProvider,
    local: createLocalProvider,
  };
  const providers = kinds
    .split(",")
    .flatMap((kind) => (kind === "docker" || kind === "bubblewrap" || kind === "local" ? [made[kind]()] : []));
  for (const ms of looks) {
    await wait(ms);
    // what does not answer now may at the next look; and if not, the sweep at the next start removes it
    await Promise.all(providers.map((provider) => provider.sweep().catch(() => 0)));
  }
}
