import { CannotError, ConfigError } from "../../harness/errors.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import type { BenchPorts } from "../bench-ports.ts";

/**
 * The one kind of sandbox for a whole job: kinds never mix. Docker where it answers; else bubblewrap, for tasks that say `local = true`; else local,
 * only where no commands of others run: tasks of our own and no real model. A fall-back is reported, and refused where a Docker daemon was named.
 * @param o.harmless no real model works in this job
 * @throws CannotError with every reason, when there is none.
 */
export async function chooseSandbox(
  asked: SandboxKind | "local-unsafe" | undefined,
  tasks: readonly Task[],
  o: { readonly ports: BenchPorts; readonly harmless: boolean },
): Promise<SandboxKind> {
  const kinds: SandboxKind[] = asked === undefined ? ["docker", "bubblewrap", "local"] : [asked === "local-unsafe" ? "local" : asked];
  const reasons: string[] = [];
  for (const kind of kinds) {
    const refusal = refuses(kind, tasks, o.harmless, asked === "local-unsafe");
    if (refusal !== undefined && asked !== undefined) throw new ConfigError(`--sandbox ${asked} cannot be used: ${refusal}`);
    const reason = refusal ?? (await unavailable(kind, o.ports));
    if (reason === undefined) {
      if (reasons.length > 0) o.ports.onFallback?.(`The tasks run in ${kind} instead of Docker. ${reasons.join(" ")}`);
      return kind;
    }
    if (kind === "docker" && asked === undefined && o.ports.dockerNamed)
      throw new CannotError(`${reason} DOCKER_HOST names this daemon, so no other sandbox is chosen in its place.`);
    reasons.push(`${kind}: ${reason}`);
  }
  throw new CannotError(`No sandbox can run these tasks. ${reasons.join(" ")}`);
}

async function unavailable(kind: SandboxKind, ports: BenchPorts): Promise<string | undefined> {
  const answer = await ports.provider(kind).available();
  return answer === true ? undefined : answer;
}

function refuses(kind: SandboxKind, tasks: readonly Task[], harmless: boolean, unsafe: boolean): string | undefined {
  if (kind === "docker") return undefined;
  const dockerOnly = tasks.find(({ forge }) => !forge?.local);
  if (dockerOnly && !unsafe) return `task "${dockerOnly.name}" does not have local = true under [metadata.forge], so it needs Docker.`;
  if (kind === "bubblewrap" || unsafe) return undefined;
  const foreign = tasks.find(({ own }) => !own);
  if (foreign)
    return `task "${foreign.name}" is not shipped with Forge, and nothing would confine it; --sandbox docker or bubblewrap confines it, --sandbox local-unsafe runs it all the same.`;
  if (!harmless)
    return "a real model would run commands on this machine with nothing to confine it; --sandbox docker or bubblewrap confines them, --sandbox local-unsafe allows that.";
  return undefined;
}
