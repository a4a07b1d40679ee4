import type { ModelIdentity } from "../../harness/contract/ports.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { modelIdentityHash } from "../../harness/config/model-identity.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import type { Agent } from "../bench-ports.ts";
import type { Mode } from "./trial-record.ts";
import { hash } from "node:crypto";

/** What a trial's result depends on. Equal components, poolable results. */
export interface KeyComponents {
  readonly taskDigest: string;
  readonly mode: Mode;
  readonly harnessHash: string;
  readonly forgeVersion: string;
  /** `modelIdentityHash`, of the scripted model where the agent is not the configured one. */
  readonly modelHash: string;
  readonly sandbox: SandboxKind;
  /** What the sandbox and the clock allow: cores, memory, network, time limits of agent and verifier. */
  readonly limits: JsonObject;
  readonly agent: string;
}

/** The components of a trial of `task` with `config`. The repeat joins in `trialKey`. */
export function keyComponents(o: {
  readonly task: Task;
  readonly config: ResolvedConfig;
  readonly model: ModelIdentity;
  readonly agent: Agent;
  readonly forgeVersion: string;
  readonly sandbox: SandboxKind;
  readonly mode: Mode;
}): KeyComponents {
  const { environment, agent, verifier } = o.task;
  const { cpus = null, memoryMb = null, storageMb = null, network } = environment;
  return {
    taskDigest: o.task.digest,
    mode: o.mode,
    harnessHash: o.config.hash,
    forgeVersion: o.forgeVersion,
    modelHash: modelIdentityHash(o.model, o.config.model),
    sandbox: o.sandbox,
    limits: { cpus, memoryMb, storageMb, network, agentMs: agent.timeoutMs, verifierMs: verifier.timeoutMs },
    agent: typeof o.agent === "string" ? o.agent : `${o.agent.name} ${sha256(o.agent.command)}`,
  };
}

/** SHA-256 in hex. `repeat` counts from 1. */
export function trialKey(components: KeyComponents, repeat: number): string {
  return trialKeys(components)(repeat);
}

/** `trialKey` of many repeats: all but the repeat is written out once. */
export function trialKeys(components: KeyComponents): (repeat: number) => string {
  const [before = "", after = ""] = canonicalJson({ ...components, repeat: here }).split(JSON.stringify(here), 2);
  return (repeat) => sha256(`${before}${repeat}${after}`);
}

/** Stands where the repeat will: no component has this text. */
const here = "\u0000the repeat\u0000";

export function agentName(agent: Agent): string {
  return typeof agent === "string" ? agent : agent.name;
}

/** The sampling seed of a trial: the same for every configuration, so that arms meet the same luck. A whole number below 2^31, which every provider takes. */
export function trialSeed(task: string, repeat: number): number {
  return hash("sha256", `${task}\n${repeat}`, "buffer").readUInt32BE(0) >>> 1;
}
