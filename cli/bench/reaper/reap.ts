/** The reaper's program: `reap <owner> <place> <kinds> [<docker host>…]`. Waits for the end of its standard input; see `start-reaper.ts`. */
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { hasEnded } from "../../../harness/sandbox/owner.ts";
import { reapLeft } from "./reap-left.ts";

const [owner = "", place = "", kinds = "", ...dockerHosts] = process.argv.slice(2);
// A terminal's Ctrl-C does not come here, but a signal to all of a user's processes may: what was left must still go.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const said = await text(process.stdin).catch(() => "");
if (!said.startsWith("released")) await reapLeft({ hasEnded: () => hasEnded({ process: owner, place }), providers, wait });
process.exit(0);

async function providers() {
  const { sandboxProviders } = await import("../../../assembly/sandbox-providers.ts");
  const providerOf = sandboxProviders({ dockerHosts });
  const known = (["docker", "bubblewrap", "local"] as const).filter((kind) => kinds.split(",").includes(kind));
  return Promise.all(known.map(providerOf));
}
