import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import type { Channel } from "../../channel.ts";
import { startExec } from "./start-exec.ts";

/** Bytes before each piece of output: stream (1 stdout, 2 stderr), three zeros, length in four bytes, big-endian. Source: Docker Engine API, "attach". */
const headerLength = 8;

/** Runs a program in a container and keeps one connection to its three streams. */
export async function execChannel(container: Docker.Container, o: Docker.ExecCreateOptions): Promise<Channel> {
  const exec = await container.exec({ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, ...o });
  const stream: Duplex = await startExec(exec);
  return {
    listen(on) {
      const split = frames(on.stdout, on.stderr);
      let ended = false;
      const end = () => {
        if (!ended) on.end();
        ended = true;
      };
      stream.on("data", split).on("end", end).on("close", end).on("error", end);
    },
    write(bytes) {
      if (!stream.destroyed) stream.write(bytes);
    },
    async alive() {
      return (await exec.inspect()).Running;
    },
    destroy() {
      stream.destroy();
    },
  };
}

/** Cuts the engine's frames apart, however the bytes arrive. */
export function frames(stdout: (chunk: Uint8Array) => void, stderr: (chunk: Uint8Array) => void): (chunk: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  let sink = stdout;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const missing = headerLength - header.length;
        header = Buffer.concat([header, chunk.subarray(at, at + missing)]);
        at += Math.min(missing, chunk.length - at);
        if (header.length < headerLength) return;
        sink = header[0] === 2 ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const piece = chunk.subarray(at, at + left);
      at += piece.length;
      left -= piece.length;
      sink(piece);
    }
  };
}
