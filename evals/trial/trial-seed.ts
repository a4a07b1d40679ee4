import { hash } from "node:crypto";

/** The sampling seed of a trial: the same for every configuration, so that arms meet the same luck. A whole number below 2^31, which every provider takes. */
export function trialSeed(task: string, repeat: number): number {
  return hash("sha256", `${task}\n${repeat}`, "buffer").readUInt32BE(0) >>> 1;
}
