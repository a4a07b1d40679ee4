/**
 * Why one try at a model call failed. `retryable` kinds: timeout, rate_limit, overloaded, server, connection, stream, conflict.
 * Never retried: invalid (400), parameter (400 or 404 for a parameter, a field or the wire, which every further call would get as well), auth (401, 403), not_found, quota, context (the conversation does not fit). `cut`: no failure of the model's, its run
 * was ended while it was asked; `CutCall` says where the call stood.
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
  | "parameter"
  | "auth"
  | "not_found"
  | "quota"
  | "context"
  | "cut";

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

/**
 * How far a try at a call had come. `queued`: it waited for others of its account to be answered. `held`: the provider had asked for less, and nothing was sent
 * to it. `sent`: nothing had come back. `answering`: pieces of an answer had.
 */
export type CallStage = "queued" | "held" | "sent" | "answering";

/** Where a try stood when its run was ended from outside. */
export interface CutCall {
  readonly stage: CallStage;
  /** Milliseconds since the last piece of the answer; where none had come, since the request went out; where it had not, since it was to. */
  readonly silentMs: number;
}

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** Milliseconds the provider asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Milliseconds the try took, where it is known without a clock: a recorded failure has it. */
  readonly activeMs: number | undefined;
  /** Of kind `parameter`: what the provider calls it. */
  readonly refused: string | undefined;
  /** Of kind `cut`. */
  readonly cut: CutCall | undefined;
  constructor(
    kind: ModelErrorKind,
    message: string,
    o: {
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      activeMs?: number | undefined;
      refused?: string | undefined;
      cut?: CutCall | undefined;
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = o.status;
    this.retryAfterMs = o.retryAfterMs;
    this.activeMs = o.activeMs;
    this.refused = o.refused;
    this.cut = o.cut;
  }
  get retryable(): boolean {
    return isRetryable(this.kind);
  }
}
