import type { IncomingMessage } from "node:http";
import { isDeeperThan, isObject, type JsonObject } from "../../harness/json.ts";

/** As providers do. */
const mostBytes = 32 * 1024 ** 2;
/** Levels of a body that are read. */
const mostDepth = 500;

export type Body = { readonly text: string; readonly json: JsonObject } | { readonly status: 400 | 413; readonly why: string };

/** A request's body, however it comes; more than `mostBytes` is not waited for. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const tooLarge: Body = { status: 413, why: `The request is larger than ${mostBytes / 1024 ** 2} MB.` };
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return tooLarge;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const chunk = piece as Uint8Array; // of a stream without an encoding
    bytes += chunk.byteLength;
    if (bytes > mostBytes) {
      request.resume(); // a client that sends all of it before it reads would wait
      return tooLarge;
    }
    pieces.push(chunk);
  }
  const text = Buffer.concat(pieces).toString("utf8");
  try {
    const json: unknown = JSON.parse(text);
    if (!isObject(json)) return { status: 400, why: "The body is no JSON object." };
    if (isDeeperThan(json, mostDepth)) return { status: 400, why: `The body nests more than ${mostDepth} levels deep.` };
    return { text, json: json as JsonObject }; // parsed from JSON
  } catch (error) {
    return { status: 400, why: `The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
