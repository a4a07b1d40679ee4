import { createHash } from "node:crypto";

/** What `forge task generate --seeds` takes. */
const seedsBelow = 1_000_000_000;

/**
 * Seeds of a family: the first four bytes of SHA-256 over hash, family and i = 0, 1, … with a newline between, modulo 10⁹. Whoever has the hash can draw them
 * again; nobody can before it is written. One that was drawn before or is `taken` is passed over.
 */
export function drawSeeds(hash: string, family: string, count: number, taken: (seed: number) => boolean = () => false): number[] {
  const seeds: number[] = [];
  for (let i = 0; seeds.length < count; i++) {
    const seed = createHash("sha256").update(`${hash}\n${family}\n${i}`).digest().readUInt32BE(0) % seedsBelow;
    if (!seeds.includes(seed) && !taken(seed)) seeds.push(seed);
  }
  return seeds;
}
