/**
 * Why one try at a model call failed. `retryable` kinds: timeout, rate_limit, overloaded, server, connection, stream, conflict.
 * Never retried: invalid (400), auth (401, 403), not_found, quota, context (the conversation does not fit).
 */
export type ModelErrorKind =
  | "timeout"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "connection"
  | "stream"
  | "conflict"
  | "invalid"
  | "auth"
  | "not_found"
  | "quota"
  | "context";

const retryable: ReadonlySet<string> = new Set<ModelErrorKind>([
  "timeout",
  "rate_limit",
  "overloaded",
  "server",
  "connection",
  "stream",
  "conflict",
]);

/** Whether a failure of this kind is tried again. */
export const isRetryable = (kind: string): boolean => retryable.has(kind);

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** Milliseconds the provider asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Milliseconds the try took, where it is known without a clock: a recorded failure has it. */
  readonly activeMs: number | undefined;
  constructor(
    kind: ModelErrorKind,
    message: string,
    o: { status?: number | undefined; retryAfterMs?: number | undefined; activeMs?: number | undefined } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = o.status;
    this.retryAfterMs = o.retryAfterMs;
    this.activeMs = o.activeMs;
  }
  get retryable(): boolean {
    return isRetryable(this.kind);
  }
}
