import { z } from "zod";
import { codeOf, InfraError, messageOf } from "../../harness/errors.ts";
import type { RunResult } from "../../harness/agent/result.ts";
import type { SandboxEvidence, SandboxUsage } from "../../harness/sandbox/sandbox.ts";
import type { RunTally } from "./run-tally.ts";

/**
 * One thing that was seen and decided a trial's class, or had a part in it; `says` is for a person, the fields beside it are what was measured.
 * - `reward`, `verifier`: what verification left, or why nothing.
 * - `run`: how the agent's run ended. `provider`: what the model's server answered last, with its HTTP `status`.
 * - `build`, `task`: the environment did not build; the task's own files are at fault. `lasting`: another attempt would end the same.
 * - `daemon`: events of the container that nobody of Forge's asked for. `cgroup`, `storage`: counters of limits. `probe`: whether a sandbox answers.
 * - `host`: this machine refused, with its error `code`. `signal`: somebody ended the bench.
 */
export const evidenceSchema = z.looseObject({
  kind: z.enum(["reward", "verifier", "run", "provider", "build", "task", "daemon", "cgroup", "storage", "probe", "host", "signal"]),
  says: z.string(),
  lasting: z.boolean().optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Somebody outside ended the container, or its daemon went away: never the agent's doing. Undefined where nothing of the kind was seen. */
export function machineryFault(seen: SandboxEvidence | undefined): Evidence | undefined {
  if (!seen) return undefined;
  const ended = endedFromOutside(seen);
  if (ended) return ended;
  const [lost] = seen.daemonLost;
  if (lost) return { kind: "daemon", says: "The daemon went away while the container was in use.", event: "lost", ...lost };
  if (seen.state === "unknown") return { kind: "daemon", says: "The daemon does not answer.", event: "silent" };
  return undefined;
}

/** Somebody outside ended the container, and with it what ran there; it may have been started again since. */
export function endedFromOutside(seen: SandboxEvidence | undefined): Evidence | undefined {
  const foreign = seen?.events.find(({ type, ours }) => !ours && (type === "kill" || type === "destroy" || type === "stop"));
  if (!foreign) return undefined;
  const signal = foreign.signal === undefined ? {} : { signal: foreign.signal };
  return {
    kind: "daemon",
    says: `The container was ended from outside (${foreign.type}).`,
    event: foreign.type,
    at: foreign.at,
    ...signal,
  };
}

/** Verification came to nothing because somebody outside ended its sandbox. */
export class OutsideError extends InfraError {
  readonly fault: Evidence;
  constructor(fault: Evidence) {
    super(fault.says);
    this.fault = fault;
  }
}

/** The container's own story: limits that were reached, and a first process that ended from inside. */
export function containerStory(seen: SandboxEvidence | undefined, usage: SandboxUsage | undefined): Evidence[] {
  const { oomKills = 0, pidsRefused = 0 } = seen?.usage ?? usage ?? {};
  const died = seen?.events.findLast(({ type, ours }) => type === "die" && !ours);
  const full = seen?.storageExceeded[0];
  return [
    ...(oomKills > 0
      ? [{ kind: "cgroup" as const, says: "The kernel ended processes because the task's memory limit was reached.", oomKills }]
      : []),
    ...(pidsRefused > 0 ? [{ kind: "cgroup" as const, says: "The limit of processes refused new ones.", pidsRefused }] : []),
    ...(full ? [{ kind: "storage" as const, says: "The writable layer was over the task's limit.", ...full }] : []),
    ...(died
      ? [
          {
            kind: "daemon" as const,
            says: "The container's first process ended from inside.",
            event: "die",
            exitCode: died.exitCode ?? null,
          },
        ]
      : []),
  ];
}

/** How the run ended, and where a model's server failed it, what that answered. */
export function runStory(result: RunResult, tally: RunTally): Evidence[] {
  const { outcome } = result;
  const how =
    outcome.type === "limit"
      ? `limit ${outcome.limit}`
      : outcome.type === "error"
        ? `error (${outcome.kind}): ${outcome.message}`
        : outcome.type;
  const { failure } = tally;
  const provider: Evidence[] =
    outcome.type === "error" && failure
      ? [
          {
            kind: "provider",
            says: failure.message,
            failure: failure.kind,
            tries: failure.tries,
            ...(failure.status === undefined ? {} : { status: failure.status }),
          },
        ]
      : [];
  return [{ kind: "run", says: how }, ...provider];
}

/** Codes with which this machine, not anything in the sandbox, refuses. */
const hostCodes = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO"]);

/** For what was thrown outside the agent's run. `begun`: the sandbox had been made. */
export function thrownStory(error: unknown, o: { readonly begun: boolean; readonly built: boolean }): Evidence {
  const says = messageOf(error);
  const code = codeOf(error);
  if (code !== undefined && hostCodes.has(code)) return { kind: "host", says, code };
  if (!o.built) return { kind: "build", says, ...(error instanceof InfraError && error.lasting ? { lasting: true } : {}) };
  return { kind: o.begun ? "probe" : "daemon", says };
}
