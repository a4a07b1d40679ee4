import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { relayFetch, type RelayOptions } from "../../../harness/extensions/mcp/relay-fetch.ts";
import { here } from "./here.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that says `head` to every request, and then, with `endless`, bytes until its connection is closed. */
async function serverOf(head: string, endless = false) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", () => {
      socket.write(head);
      const more = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(65_536)));
      };
      socket.on("drain", () => endless && more());
      if (endless) more();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return { url: `http://127.0.0.1:${port}/`, sockets };
}
const empty = "content-length: 0\r\n\r\n";

describe("a request from inside of a sandbox", () => {
  it.each([202, 204, 205, 304])("has no body where the status %i says so, and hears no more of one that does not end", async (status) => {
    const { url, sockets } = await serverOf(`HTTP/1.1 ${status} x\r\ntransfer-encoding: chunked\r\n\r\n`, true);
    const answer = await relayFetch(here)(url);
    expect([answer.status, await answer.text()]).toEqual([status, ""]);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("fails where the answer is none", async () => {
    const { url } = await serverOf("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
    await expect(relayFetch(here)(url)).rejects.toThrow("the connection ended without a response");
    expect((await relayFetch(here)((await serverOf(`HTTP/1.1 999 x\r\n${empty}`)).url)).status).toBe(502);
  });

  it("is made no more when its server has cost too much, of whatever kind", async () => {
    const costs = async (most: RelayOptions["most"], init: RequestInit[], head = `HTTP/1.1 200 x\r\n${empty}`, endless = false) => {
      const { url } = await serverOf(head, endless);
      const heard: string[] = [];
      const fetch = relayFetch(here, { ...(most && { most }), onTooMuch: (why) => void heard.push(why) });
      const answers = [];
      for (const one of init)
        answers.push(
          await fetch(url, one)
            .then((answer) => answer.text())
            .then(
              (text) => text.length,
              () => "failed",
            ),
        );
      return { answers, heard };
    };
    const [get, post] = [{}, { method: "POST", body: "x" }];
    expect(await costs({ requests: 2 }, [post, get, post, post])).toEqual({
      answers: [0, 0, "failed", "failed"],
      heard: ["it costs more than 2 requests"],
    });
    expect(await costs({ streams: 1 }, [get, post, get, post])).toEqual({
      answers: [0, 0, "failed", "failed"],
      heard: ["it costs more than 1 streams of events"],
    });
    expect(await costs({ bytes: 1_000_000 }, [post, post], "HTTP/1.1 200 x\r\n\r\n", true)).toEqual({
      answers: ["failed", "failed"],
      heard: ["it costs more than 1000000 bytes"],
    });
    expect(await costs({ open: 0 }, [post])).toEqual({ answers: ["failed"], heard: ["it costs more than 0 requests at a time"] });
  });
});
