import { connect, type Socket } from "node:net";
import type { Channel } from "../../channel.ts";

const headBytes = 9;
/** Far longer than a busy daemon takes to start Python. */
const longestStartMs = 60_000;

/**
 * Carries the connections of a relay (`relay-script.ts`) to `port` of this machine's loopback. Answers the port that the relay listens on.
 * @throws Error where the relay does not start
 */
export function carryConnections(channel: Channel, port: number): Promise<number> {
  const sockets = new Map<number, Socket>();
  let rest = Buffer.alloc(0);
  let said = "";

  const send = (number: number, kind: number, data = Buffer.alloc(0)): void => {
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE(number, 0);
    head.writeUInt8(kind, 4);
    head.writeUInt32BE(data.length, 5);
    channel.write(Buffer.concat([head, data]));
  };
  const open = (number: number): void => {
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    sockets.set(number, socket);
    socket.on("data", (data) => send(number, 1, data));
    socket.on("end", () => send(number, 2));
    socket.on("error", () => undefined); // its close follows
    socket.on("close", () => {
      sockets.delete(number);
      send(number, 3);
    });
  };

  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`it did not listen within ${longestStartMs / 1000} s`)), longestStartMs);
    const frame = (number: number, kind: number, data: Buffer): void => {
      if (kind === 4) {
        clearTimeout(late);
        resolve(Number(data.toString()));
      } else if (kind === 0) open(number);
      else if (kind === 1) sockets.get(number)?.write(data);
      else if (kind === 2) sockets.get(number)?.end();
      else sockets.get(number)?.destroy();
    };
    channel.listen({
      stdout(chunk) {
        rest = Buffer.concat([rest, chunk]);
        while (rest.length >= headBytes) {
          const length = rest.readUInt32BE(5);
          if (rest.length < headBytes + length) return;
          frame(rest.readUInt32BE(0), rest.readUInt8(4), Buffer.from(rest.subarray(headBytes, headBytes + length)));
          rest = rest.subarray(headBytes + length);
        }
      },
      stderr: (chunk) => void (said = `${said}${Buffer.from(chunk).toString()}`.slice(-1_000)),
      end() {
        clearTimeout(late);
        for (const socket of sockets.values()) socket.destroy();
        reject(new Error(said.trim().split("\n").at(-1) || "it ended"));
      },
    });
  });
}
