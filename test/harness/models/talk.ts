import type { Clock, Model, ModelRequest } from "../../../harness/contract/ports.ts";
import { type Message, userMessage } from "../../../harness/contract/messages.ts";

/** The real clock, whose sleeps an abort ends. */
export const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

export const bash = {
  name: "bash",
  description: "Runs a shell command.",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
} as const;
export const read = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } }, required: ["path"] },
} as const;

export function requestOf(o: Partial<ModelRequest> & { messages?: readonly Message[] } = {}): ModelRequest {
  return {
    system: [
      { name: "identity", text: "You are an agent." },
      { name: "behaviour", text: "Work carefully." },
      { name: "environment", text: "Directory: /app" },
    ],
    messages: [userMessage("Fix it.")],
    tools: [structuredClone(bash), structuredClone(read)],
    params: { maxOutputTokens: 4096 },
    ...o,
  } as ModelRequest;
}

export function ask(model: Model, request: ModelRequest = requestOf(), o: { signal?: AbortSignal; onText?: (delta: string) => void } = {}) {
  const signal = o.signal ?? new AbortController().signal;
  const place = { lane: "main", ordinal: 0, attempt: 0 };
  return model.call(request, { place, signal, ...(o.onText === undefined ? {} : { onText: o.onText }) });
}
