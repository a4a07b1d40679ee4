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
  const { sandboxProviders } = await import("../../../assembly/sandbox-providers.ts");
  const providerOf = sandboxProviders({ dockerHosts });
  const known = (["docker", "bubblewrap", "local"] as const).filter((kind) => kinds.split(",").includes(kind));
  const providers = await Promise.all(known.map(providerOf));
  for (const ms of looks) {
    await wait(ms);
    // what does not answer now may at the next look; and if not, the sweep at the next start removes it
    await Promise.all(providers.map((provider) => provider.sweep().catch(() => 0)));
  }
}
