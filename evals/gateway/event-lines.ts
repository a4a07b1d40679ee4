import { StringDecoder } from "node:string_decoder";

/** The longest event that is read. */
const mostChars = 8 * 1024 ** 2;

/** Cuts server-sent events out of bytes however they arrive, and answers the JSON of each that has some. What is none is left out. */
export function eventLines(): { push(bytes: Uint8Array): unknown[] } {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    push(bytes) {
      const lines = (rest + decoder.write(Buffer.from(bytes))).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "").slice(0, mostChars);
      return lines.flatMap((line): unknown[] => {
        const [, data] = /^data: ?(.*)$/s.exec(line) ?? [];
        if (data === undefined || data === "[DONE]") return [];
        try {
          return [JSON.parse(data)];
        } catch {
          return [];
        }
      });
    },
  };
}
