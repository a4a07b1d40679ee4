import { spawn } from "node:child_process";
import { connect as connectTo } from "node:net";
import type { McpSandbox } from "./program-transport.ts";

/** Servers on this machine itself: programs, each in a session of its own, which ends with its channel, and connections. */
export function programsHere(o: { readonly env: Readonly<Record<string, string>>; readonly cwd: string }): McpSandbox {
  return {
    kind: "local",
    async program([command = "", ...words]) {
      const child = spawn(command, words, { ...o, detached: true });
      child.stdin.on("error", () => undefined);
      return {
        listen(on) {
          child.on("error", (error) => on.stderr(Buffer.from(`${error.message}\n`)));
          child.stdout.on("data", (chunk: Uint8Array) => on.stdout(chunk));
          child.stderr.on("data", (chunk: Uint8Array) => on.stderr(chunk));
          child.once("close", () => on.end());
        },
        write: (bytes) => void child.stdin.write(bytes),
        alive: async () => child.exitCode === null && child.signalCode === null,
        destroy() {
          try {
            if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
          } catch {
            // it has ended by itself
          }
        },
      };
    },
    connect: (host, port) =>
      new Promise((resolve, reject) => {
        const socket = connectTo({ host, port });
        socket.once("error", reject).once("connect", () => {
          socket.off("error", reject);
          resolve(socket);
        });
      }),
  };
}
