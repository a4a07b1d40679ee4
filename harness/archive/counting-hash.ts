import { createHash } from "node:crypto";
import { Transform } from "node:stream";

/** A stream that lets everything through and knows what came: bytes, and their SHA-256 once it has ended. */
export interface CountingHash {
  readonly stream: Transform;
  readonly bytes: number;
  sha256(): string;
}

/** `onChunk` sees each chunk first, with the bytes before it; what it throws ends the stream. */
export function createCountingHash(onChunk: (chunk: Buffer, before: number) => void = () => undefined): CountingHash {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        onChunk(chunk, bytes);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return {
    stream,
    get bytes() {
      return bytes;
    },
    sha256: () => hash.digest("hex"),
  };
}
