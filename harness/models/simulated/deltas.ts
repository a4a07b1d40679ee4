import { seededRandom } from "../../seeded-random.ts";
import { draw } from "./draw.ts";

/** Characters of a delta: token by token, in words, in lines, or all at once, as one server or another sends them. */
const sizes = [1, 4, 12, 48, Number.POSITIVE_INFINITY] as const;

/** A text as it streams: whole characters, in pieces of the sizes that servers have. The same words, the same pieces. */
export function deltasOf(text: string, ...words: readonly (string | number)[]): string[] {
  const characters = Array.from(text); // by code points, so that no delta ends in half of one
  const next = seededRandom(draw("delta", ...words) * 2 ** 32);
  const usual = sizes[Math.floor(next() * sizes.length)] ?? 4;
  const deltas: string[] = [];
  for (let at = 0; at < characters.length;) {
    const length = Math.min(Math.max(1, Math.round(usual * (0.5 + next()))), characters.length);
    deltas.push(characters.slice(at, at + length).join(""));
    at += length;
  }
  return deltas;
}
