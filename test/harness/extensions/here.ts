import { spawn } from "node:child_process";
import type { Opener } from "../../../harness/extensions/mcp/relay.ts";

/** Programs of this machine itself, each a session of its own as in a container. */
export const here: Opener = {
  kind: "local",
  async program([command = "", ...words]) {
    const child = spawn(command, words, { detached: true });
    child.stdin.on("error", () => undefined);
    return {
      listen(on) {
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
};
