import { Agent, request as plainRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { Readable, Transform, type Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { relay } from "./relay.ts";

/** Of one answer; a stream of events counts as one. */
const mostBytes = 64 * 1024 * 1024;

/** `fetch` whose connections are opened inside of the sandbox. Redirects are not followed: they would lead where the task has not said. */
export function relayFetch(sandbox: Sandbox): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (address, init = {}) => {
    const url = new URL(address);
    const secure = url.protocol === "https:";
    const body = init.body === undefined || init.body === null ? undefined : Buffer.from(await new Response(init.body).arrayBuffer());
    init.signal?.throwIfAborted();
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const line = await relay(sandbox, host, Number(url.port || (secure ? 443 : 80)));
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
    asked.once("error", (error) => {
      line.destroy();
      reject(error);
    });
    asked.once("response", (answer: IncomingMessage) => {
      const status = answer.statusCode ?? 0;
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headersDistinct)) for (const one of value ?? []) headers.append(name, one);
      const empty = status === 204 || status === 304 || status === 202;
      if (empty || status < 200 || status > 599) {
        answer.resume().once("end", () => line.destroy());
        resolve(new Response(null, { status: status < 200 || status > 599 ? 502 : status, headers }));
        return;
      }
      const capped = answer.pipe(capBytes());
      answer.once("error", (error) => capped.destroy(error));
      capped.once("close", () => line.destroy());
      // The two halves of the platform have types of their own for one and the same stream.
      resolve(new Response(Readable.toWeb(capped) as ReadableStream<Uint8Array>, { status, headers }));
    });
    asked.end(body);
  });
}

function capBytes(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      if (bytes > mostBytes) done(new Error(`the server answered with more than ${mostBytes} bytes`));
      else done(null, chunk);
    },
  });
}
