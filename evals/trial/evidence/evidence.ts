import { z } from "zod";
import { codeOf, InfraError, messageOf } from "../../../harness/errors.ts";
import type { RunResult } from "../../../harness/contract/run-result.ts";
import type { SandboxEvidence, SandboxUsage } from "../../../harness/sandbox/sandbox.ts";
import type { Crash, TrialRun } from "../../bench-ports.ts";
import type { RunTally } from "./run-tally.ts";

/**
 * One thing that was seen and decided a trial's class, or had a part in it; `says` is for a person, the fields beside it are what was measured.
 * - `reward`, `verifier`: what verification left, or why nothing.
 * - `run`: how the agent's run ended. `provider`: what the model's server answered last, with its HTTP `status`, or for how long nothing.
 * - `build`, `task`: the environment did not build; the task's own files are at fault. `lasting`: another attempt would end the same.
 * - `daemon`: events of the container that nobody of Forge's asked for. `cgroup`, `storage`: counters of limits. `probe`: whether a sandbox answers.
 * - `host`: this machine refused, with its error `code`. `signal`: someone ended the bench.
 */
export const evidenceSchema = z.looseObject({
  kind: z.enum(["reward", "verifier", "run", "provider", "build", "task", "daemon", "cgroup", "storage", "probe", "host", "signal"]),
  says: z.string(),
  lasting: z.boolean().optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Somebody outside ended the container, or its daemon or the machine's memory went away: never the agent's doing. Undefined where nothing of the kind was seen. */
export function machineryFault(seen: SandboxEvidence | undefined): Evidence | undefined {
  if (!seen) return undefined;
  const taken = takenFromOutside(seen);
  if (taken) return taken;
  const [lost] = seen.daemonLost;
  if (lost) return { kind: "daemon", says: "The daemon went away while the container was in use.", event: "lost", ...lost };
  if (seen.state === "unknown") return { kind: "daemon", says: "The daemon does not respond.", event: "silent" };
  return undefined;
}

/** What ran in the container, or a part of it, was ended from outside: by someone, or by the machine for want of memory. It may run again since. */
export function takenFromOutside(seen: SandboxEvidence | undefined): Evidence | undefined {
  if (!seen) return undefined;
  return endedBySomebody(seen) ?? withoutGateway(seen) ?? starved(seen.usage) ?? killedSilently(seen);
}

/** The kernel took memory back from the container although no limit of its own was reached: what it left is not what the agent would have left. */
function starved({ machineOomKills = 0, memoryLimitBytes }: SandboxUsage): Evidence | undefined {
  if (machineOomKills === 0) return undefined;
  const limit = memoryLimitBytes === undefined ? {} : { limitBytes: memoryLimitBytes };
  const why = memoryLimitBytes === undefined ? "the container has no memory limit" : "the container's memory limit was not reached";
  return {
    kind: "cgroup",
    says: `The machine ran out of memory: ${why}, and the kernel ended processes in it.`,
    machineOomKills,
    ...limit,
  };
}

/** 128 + SIGKILL. */
const killed = 137;

/**
 * The first process of a container ended as by SIGKILL, which the kernel lets nothing inside send to it, and neither did its own memory limit. `unseen`:
 * the daemon saw nobody do it, so who may trace that process can make it look so.
 */
function killedSilently({ events, usage }: SandboxEvidence): Evidence | undefined {
  const died = events.find(({ type, ours, exitCode }) => type === "die" && !ours && exitCode === killed);
  if (!died || (usage.oomKills ?? 0) > 0) return undefined;
  return {
    kind: "daemon",
    says: "The container's first process was ended by SIGKILL, which nothing inside can send to it.",
    event: "die",
    exitCode: killed,
    at: died.at,
    unseen: true,
  };
}

/** The daemon saw someone end the container. */
function endedBySomebody(seen: SandboxEvidence): Evidence | undefined {
  const foreign = seen.events.find(({ type, ours }) => !ours && (type === "kill" || type === "destroy" || type === "stop"));
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

/** Verification came to nothing because its sandbox, or something in it, was ended from outside. */
export class OutsideError extends InfraError {
  readonly fault: Evidence;
  constructor(fault: Evidence) {
    super(fault.says);
    this.fault = fault;
  }
}

/** The container goes on, but with no network: nothing inside it can end its gateway. */
function withoutGateway({ gatewayEnded: ended }: SandboxEvidence): Evidence | undefined {
  return (
    ended && {
      kind: "daemon",
      says: "The gateway that held the container's network to its hosts ended, so that network was cut.",
      gateway: true,
      ...ended,
    }
  );
}

/** The container's own story: limits that were reached, and a first process that ended from inside. */
export function containerStory(seen: SandboxEvidence | undefined, usage: SandboxUsage | undefined): Evidence[] {
  const { oomKills = 0, pidsRefused = 0, memoryLimitBytes } = seen?.usage ?? usage ?? {};
  const limit = memoryLimitBytes === undefined ? {} : { limitBytes: memoryLimitBytes };
  const died = seen?.events.findLast(({ type, ours }) => type === "die" && !ours);
  const full = seen?.storageExceeded[0];
  return [
    ...(oomKills > 0
      ? [
          {
            kind: "cgroup" as const,
            says: "The kernel ended processes because the container's memory limit was reached.",
            oomKills,
            ...limit,
          },
        ]
      : []),
    ...(pidsRefused > 0 ? [{ kind: "cgroup" as const, says: "The limit of processes refused new ones.", pidsRefused }] : []),
    ...(full ? [{ kind: "storage" as const, says: "The writable layer was over its limit.", ...full }] : []),
    ...(died
      ? [
          {
            kind: "daemon" as const,
            says: `The container's first process ended${takenFromOutside(seen) ? "" : " from inside"}.`,
            event: "die",
            exitCode: died.exitCode ?? null,
          },
        ]
      : []),
  ];
}

/** How the run ended, and where a model's server failed it, what that did. */
export function runStory({ result, crash }: Pick<TrialRun, "result" | "crash">, tally: RunTally): Evidence[] {
  const { outcome } = result;
  const how =
    outcome.type === "limit"
      ? `limit ${outcome.limit}`
      : outcome.type === "error"
        ? `error (${outcome.kind}): ${outcome.message}`
        : outcome.type;
  return [{ kind: "run", says: how, ...crash }, ...providerStory(result, tally)];
}

/** The crash that a record's evidence shows. */
export function crashIn(evidence: readonly Evidence[] = []): Crash | undefined {
  const seen = evidence.find(({ kind, requests }) => kind === "run" && typeof requests === "number");
  return seen && { exitCode: seen["exitCode"] as number | null, requests: seen["requests"] as number }; // of `runStory`
}

/** By which sh reports that it found no such command, or may not execute it. Source: POSIX, "Exit Status for Commands". */
const notStarted = new Set<number | null>([126, 127]);

/** The agent could not be started in this environment. Undefined where it asked its model: from then on the exit code is its own. */
export function neverStarted(crash: Crash | undefined): Evidence | undefined {
  if (crash?.requests !== 0 || !notStarted.has(crash.exitCode)) return undefined;
  return { kind: "task", says: "The task's environment lacks a command that the agent needs, or it cannot be executed.", lasting: true };
}

/** What a model's server did that ended the run, or that used up the time that a limit ended. */
function providerStory({ outcome }: RunResult, tally: RunTally): Evidence[] {
  if (outcome.type === "error" && tally.failure) {
    const { kind, message, tries, status } = tally.failure;
    return [{ kind: "provider", says: message, failure: kind, tries, ...(status === undefined ? {} : { status }) }];
  }
  const lost = outcome.type === "limit" ? tally.lostCall(outcome.limit) : undefined;
  if (!lost) return [];
  const { message, ...seen } = lost;
  return [{ kind: "provider", says: message, ...seen }];
}

/** Codes with which this machine, not anything in the sandbox, refuses. */
const hostCodes = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO"]);

/** This machine refused, a full disk for instance; undefined for any other error. */
export function hostStory(error: unknown): Evidence | undefined {
  const code = codeOf(error);
  return code !== undefined && hostCodes.has(code) ? { kind: "host", says: messageOf(error), code } : undefined;
}

/** For what was thrown outside the agent's run. `begun`: the sandbox had been made. */
export function thrownStory(error: unknown, o: { readonly begun: boolean; readonly built: boolean }): Evidence {
  const host = hostStory(error);
  if (host) return host;
  const says = messageOf(error);
  const lasting = error instanceof InfraError && error.lasting ? { lasting: true } : {};
  return { kind: !o.built ? "build" : o.begun ? "probe" : "daemon", says, ...lasting };
}
