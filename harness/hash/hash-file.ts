import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** Bytes read at a time: most files of a task or a workspace are one piece, and a stream for each costs five times what reading it does. */
const pieceBytes = 256 * 1024;

/** Bytes and SHA-256 of a file, whatever its size. Throws what reading it throws. */
export async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path);
  try {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, (await file.stat()).size + 1)));
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}
