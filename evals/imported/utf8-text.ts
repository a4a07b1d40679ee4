import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ConfigError } from "../../harness/errors.ts";

/**
 * A file's text in pieces. Bytes that are no UTF-8 would each become the same sign, and two names of another encoding one: they are refused.
 * @throws ConfigError with the line of the first such byte
 */
export async function* utf8Text(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (piece?: Buffer): string | undefined => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch {
      return undefined;
    }
  };
  const input: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 1 << 18 });
  for await (const piece of input) yield decode(piece) ?? (await refuse(file));
  yield decode() ?? (await refuse(file));
}

async function refuse(file: string): Promise<never> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file, { encoding: "latin1" }), crlfDelay: Infinity })) {
    line++;
    const at = firstInvalid(Buffer.from(text, "latin1"));
    if (at !== undefined)
      throw new ConfigError(
        `${file}, line ${line}: the byte 0x${at.toString(16).toUpperCase()} is not UTF-8; save the table as UTF-8, for instance by iconv -f ${at >= 0xfe && line === 1 ? "UTF-16" : "ISO-8859-1"} -t UTF-8.`,
      );
  }
  throw new ConfigError(`${file}: the text is not UTF-8; save the table as UTF-8.`);
}

/** The first byte that begins no character, or breaks one off. */
function firstInvalid(bytes: Buffer): number | undefined {
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(at, at + length));
    } catch {
      return first;
    }
    at += length;
  }
  return undefined;
}
