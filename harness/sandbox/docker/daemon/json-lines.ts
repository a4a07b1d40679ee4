import { StringDecoder } from "node:string_decoder";

/** Takes the chunks of a stream that has one JSON value a line, however they are cut; a line that is no JSON is passed over. */
export function jsonLines(take: (value: unknown) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        continue;
      }
      take(value);
    }
  };
}
