import type { Clock } from "../../../contract/ports.ts";

export interface Streaming {
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Pick<Clock, "sleep"> | undefined;
  readonly activeMs: number;
  readonly signal: AbortSignal;
}

const eventStream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" } as const;

/** Events as they come; on a clock, spread over the time that the reply takes. */
export function streamed(events: readonly string[], { headers, clock, activeMs, signal }: Streaming): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const event = events[next++];
      if (event === undefined) return controller.close();
      await clock?.sleep(activeMs / events.length, signal);
      controller.enqueue(encoder.encode(event));
    },
  });
  return new Response(body, { headers: { ...eventStream, ...headers } });
}

export interface BreakingOff {
  readonly stream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Closes the connection once what was sent is out. */
  readonly hangUp: (() => void) | undefined;
}

/** Sends half of it, and closes the connection without an end. */
export function brokenOff(pieces: readonly string[], { stream, headers, hangUp }: BreakingOff): Response {
  const all = pieces.join("");
  const bytes = new TextEncoder().encode(all.slice(0, Math.ceil(all.length / 2)));
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!sent) controller.enqueue(bytes);
      else if (hangUp) hangUp();
      else controller.error(new Error("broken off"));
      sent = true;
    },
  });
  return new Response(body, { headers: { ...(stream ? eventStream : { "content-type": "application/json" }), ...headers } });
}
