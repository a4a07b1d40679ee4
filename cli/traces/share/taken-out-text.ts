import type { TakenOut } from "../../../traces/export/redact-events.ts";

export const sumOf = (found: TakenOut): number => Object.values(found).reduce((sum, count) => sum + count, 0);

/** `taken out: 3 × GitHub token, 1 × private key`; a sentence of its own where nothing was. */
export function takenOutText(found: TakenOut): string {
  const kinds = Object.entries(found).map(([kind, count]) => `${count} × ${kind}`);
  return kinds.length === 0 ? "nothing had to be taken out" : `taken out: ${kinds.join(", ")}`;
}
