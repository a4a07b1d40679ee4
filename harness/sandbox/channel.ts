/**
 * Three byte streams to one worker shell inside a sandbox, however they get there (a hijacked engine connection, named pipes).
 * `stdout` and `stderr` never mix, and each keeps its order.
 */
export interface Channel {
  /** Must be called once, before anything is written. `end` comes once: no more output, the worker and all who held its output are gone. */
  listen(on: { stdout(chunk: Uint8Array): void; stderr(chunk: Uint8Array): void; end(): void }): void;
  write(bytes: Uint8Array): void;
  /** Whether the worker's own process still runs: a child that holds its output can keep the streams open after it is gone. Undefined: it can only be seen from inside. */
  alive(): Promise<boolean | undefined>;
  destroy(): void;
}
