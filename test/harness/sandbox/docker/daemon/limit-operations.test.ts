import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterEach, describe, expect, it } from "vitest";
import { boundOperations } from "../../../../../harness/sandbox/docker/daemon/limit-operations.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A daemon that takes every request and answers none, as one does for a container that was paused in the wrong moment. */
async function silentDaemon(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-silent-"));
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
  const socketPath = join(folder, "docker.sock");
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });
  return socketPath;
}

describe("a daemon that does not answer", () => {
  it("is an error that says what was asked, for all that it should answer soon", async () => {
    const docker = boundOperations(new Docker({ socketPath: await silentDaemon() }), { answerMs: 50 });
    const container = docker.getContainer("c0ffee");
    const within = (asked: string) => `The daemon did not respond to ${asked} within 0.05 s`;
    await expect(docker.createContainer({ Image: "x" })).rejects.toThrow(within("POST /containers/create"));
    await expect(container.start()).rejects.toThrow(within("POST /containers/c0ffee/start"));
    await expect(container.exec({ Cmd: ["true"] })).rejects.toThrow(within("POST /containers/c0ffee/exec"));
    await expect(container.inspect()).rejects.toThrow(within("GET /containers/c0ffee/json"));
    await expect(container.remove({ force: true })).rejects.toThrow(within("DELETE /containers/c0ffee"));
  });

  it("is waited for where an answer may take long, or is a stream", async () => {
    const docker = boundOperations(new Docker({ socketPath: await silentDaemon() }), { answerMs: 50 });
    const waiting = Promise.race([docker.df(), docker.getEvents(), docker.getContainer("c0ffee").getArchive({ path: "/" })]);
    const moment = new Promise((resolve) => setTimeout(() => resolve("still waiting"), 300));
    expect(await Promise.race([waiting.catch((error: unknown) => error), moment])).toBe("still waiting");
  });
});
