import { sandboxProviders } from "../../assembly/sandbox-providers.ts";
import { CannotError } from "../../harness/errors.ts";
import { plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { dockerHostsOf } from "../bench/docker-hosts-of.ts";
import type { PruneFlags } from "./options.ts";

/** Carries out `forge images prune`. */
export async function pruneImages({ keep, dockerHost, json }: PruneFlags): Promise<void> {
  const provider = await sandboxProviders({ dockerHosts: await dockerHostsOf(dockerHost, "docker") })("docker");
  const answer = await provider.available();
  if (answer !== true) throw new CannotError(answer);
  const removed = (await provider.trim?.(keep)) ?? 0;
  process.stdout.write(json ? `${jsonLine({ removed })}\n` : `removed ${plural(removed, "image")} of tasks\n`);
}
