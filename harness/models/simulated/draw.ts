import { sha256 } from "../../hash/sha256.ts";

/** A number in [0, 1) that is the same for the same words: the only chance there is in a simulated model. */
export function draw(...words: readonly (string | number)[]): number {
  return Number.parseInt(sha256(JSON.stringify(words)).slice(0, 12), 16) / 2 ** 48;
}
