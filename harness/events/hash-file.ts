import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Bytes and SHA-256 of a file, whatever its size. Throws what reading it throws. */
export async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    const piece = chunk as Buffer; // a stream without an encoding gives buffers
    bytes += piece.length;
    hash.update(piece);
  }
  return { bytes, sha256: hash.digest("hex") };
}
