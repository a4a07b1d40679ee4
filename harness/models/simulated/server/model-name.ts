import { simulatedFingerprint } from "../fingerprint.ts";
import { BadRequest } from "./wire.ts";

const mostSeed = 2 ** 31 - 1;

/** The seed in `sim-<seed>`; undefined for any other name. */
export function seedNamed(model: string): number | undefined {
  const seed = /^sim-(\d{1,10})$/.exec(model)?.[1];
  return seed !== undefined && Number(seed) <= mostSeed ? Number(seed) : undefined;
}
export const noModel = (name: string): BadRequest =>
  new BadRequest({ type: "model", name, cure: `Models here are called sim-<seed>, with a seed from 0 to ${mostSeed}, such as sim-1.` });

export const modelCard = (seed: number): object => ({
  id: `sim-${seed}`,
  object: "model",
  type: "model",
  display_name: `sim-${seed}`,
  created: 0,
  created_at: "2026-01-01T00:00:00Z",
  owned_by: simulatedFingerprint,
});
