import { Agent, request as plainRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { Readable, Transform, type Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { messageOf } from "../../errors.ts";
import { relay, type Opener } from "./relay.ts";

/** Of one answer; a stream of events counts as one. */
const answerBytes = 64 * 1024 * 1024;

/**
 * What one server may cost: bytes of all answers, requests, those of them that only listen (`GET`), and connections at a time. The server has a say in
 * each: it ends a stream and is asked again, it asks and is answered.
 */
const mostOfServer = { bytes: 256 * 1024 * 1024, requests: 5_000, streams: 100, open: 64 };

export interface RelayOptions {
  readonly most?: Partial<typeof mostOfServer>;
  /** The server has cost too much, and is asked nothing more. Heard once. */
  readonly onTooMuch?: (why: string) => void;
}

/**
 * `fetch` for one server, whose connections are opened inside of the sandbox. Redirects are not followed: they would lead where the task has not said.
 */
export function relayFetch(sandbox: Opener, o: RelayOptions = {}): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const most = { ...mostOfServer, ...o.most };
  const spent = { bytes: 0, requests: 0, streams: 0, open: 0 };
  let fault: string | undefined;
  const spend = (what: keyof typeof spent, much = 1): void => {
    spent[what] += much;
    if (fault === undefined && spent[what] > most[what]) {
      fault = `it costs more than ${most[what]} ${{ bytes: "bytes", requests: "requests", streams: "streams of events", open: "requests at a time" }[what]}`;
      o.onTooMuch?.(fault);
    }
    if (fault !== undefined) throw new Error(fault);
  };
  const heard = (bytes: number): void => spend("bytes", bytes);
  return async (address, init = {}) => {
    spend("requests");
    if ((init.method ?? "GET") === "GET") spend("streams");
    const url = new URL(address);
    const secure = url.protocol === "https:";
    const body = init.body === undefined || init.body === null ? undefined : Buffer.from(await new Response(init.body).arrayBuffer());
    init.signal?.throwIfAborted();
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const leave = (): void => void (spent.open -= 1);
    const opened = async (): Promise<Duplex> => {
      spend("open");
      return relay(sandbox, host, Number(url.port || (secure ? 443 : 80)), heard);
    };
    const line = await opened().catch((error: unknown) => {
      leave();
      throw error;
    });
    line.on("error", () => undefined).once("close", leave);
    const socket: Duplex = secure ? tlsConnect({ socket: line, servername: host }) : line;
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(body ? { "content-length": String(body.length) } : {}) };
    // An agent of its own that hands out the one connection, and closes it after the answer.
    const agent = Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket });
    const options = { method: init.method ?? "GET", headers, agent, ...(init.signal ? { signal: init.signal } : {}) };
    const asked = plainRequest({ ...options, host, port: url.port || undefined, path: url.pathname + url.search });
    return answerOf(asked, body, line);
  };
}

function answerOf(asked: ClientRequest, body: Buffer | undefined, line: Duplex): Promise<Response> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      line.destroy();
      reject(error instanceof Error ? error : new Error(messageOf(error)));
    };
    asked.on("error", fail).once("close", () => fail(new Error("the connection ended without a response")));
    // What a listener throws would end the whole process.
    asked.once("response", (answer) => {
      try {
        resolve(responseOf(answer, line));
      } catch (error) {
        fail(error);
      }
    });
    asked.end(body);
  });
}

const bodiless: ReadonlySet<number> = new Set([202, 204, 205, 304]);

/** @throws what the platform does not take for an answer */
function responseOf(answer: IncomingMessage, line: Duplex): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headersDistinct)) for (const one of value ?? []) headers.append(name, one);
  const known = status >= 200 && status <= 599;
  if (!known || bodiless.has(status)) {
    line.destroy(); // whatever still comes
    return new Response(null, { status: known ? status : 502, headers });
  }
  const capped = answer.pipe(capBytes());
  answer.once("error", (error) => capped.destroy(error));
  // An answer of no told length would else end with its connection as if it were whole.
  line.on("error", (error) => capped.destroy(error));
  capped.once("close", () => line.destroy());
  // The two halves of the platform have types of their own for one and the same stream.
  return new Response(Readable.toWeb(capped) as ReadableStream<Uint8Array>, { status, headers });
}

function capBytes(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      if (bytes > answerBytes) done(new Error(`the server responded with more than ${answerBytes} bytes`));
      else done(null, chunk);
    },
  });
}
