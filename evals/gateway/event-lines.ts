import { StringDecoder } from "node:string_decoder";
import { isObject } from "../../harness/json.ts";

/** The longest event that is read. */
const mostChars = 8 * 1024 ** 2;

export interface PieceOfStream {
  /** Whole characters alone: one that was cut comes with the next piece. */
  readonly text: string;
  /** The JSON of each event that has some. */
  readonly events: readonly unknown[];
  /** The stream's last event is among them, on whatever wire. */
  readonly ends: boolean;
}

const lastTypes = new Set<unknown>(["message_stop", "response.completed", "response.incomplete"]);

/** Cuts server-sent events out of bytes however they arrive. What is none is left out. */
export function eventLines(): { push(bytes: Uint8Array): PieceOfStream } {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    push(bytes) {
      const text = decoder.write(Buffer.from(bytes));
      const lines = (rest + text).split(text.includes("\r") || rest.endsWith("\r") ? /\r\n|\n|\r/ : "\n");
      rest = (lines.pop() ?? "").slice(0, mostChars);
      const events: unknown[] = [];
      let ends = false;
      for (const line of lines) {
        if (!line.startsWith("data:")) continue;
        const data = line.slice(line[5] === " " ? 6 : 5);
        if (data === "[DONE]") ends = true;
        try {
          const event: unknown = JSON.parse(data);
          events.push(event);
          ends ||= isObject(event) && lastTypes.has(event["type"]);
        } catch {
          // [DONE], or another program's words
        }
      }
      return { text, events, ends };
    },
  };
}
