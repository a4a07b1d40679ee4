/** Collects bytes up to a cap: half from the start, half from the end; what falls out of the middle is counted, not kept. */
export class CappedBytes {
  readonly #headCap: number;
  readonly #tailCap: number;
  readonly #head: Uint8Array[] = [];
  readonly #tail: Uint8Array[] = [];
  #headLength = 0;
  #tailLength = 0;
  dropped = 0;

  constructor(cap: number) {
    this.#headCap = Math.ceil(cap / 2);
    this.#tailCap = Math.floor(cap / 2);
  }

  push(chunk: Uint8Array): void {
    const room = this.#headCap - this.#headLength;
    if (room > 0) {
      const first = chunk.subarray(0, room);
      this.#head.push(first);
      this.#headLength += first.length;
      if (first.length === chunk.length) return;
      chunk = chunk.subarray(room);
    }
    this.#tail.push(chunk);
    this.#tailLength += chunk.length;
    // Whole chunks leave at once; the exact cut is made when the bytes are taken.
    for (let first = this.#tail[0]; first && this.#tailLength - first.length >= this.#tailCap; first = this.#tail[0]) {
      this.#tail.shift();
      this.#tailLength -= first.length;
      this.dropped += first.length;
    }
  }

  /** Call once, at the end: settles `dropped` too. */
  take(): Uint8Array {
    const tail = Buffer.concat(this.#tail);
    const over = Math.max(0, tail.length - this.#tailCap);
    this.dropped += over;
    return Buffer.concat([...this.#head, tail.subarray(over)]);
  }
}
