import { createHash } from "node:crypto";

/** SHA-256 in lower-case hex over the pieces, one after the other. Text is hashed as UTF-8. */
export function sha256(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
