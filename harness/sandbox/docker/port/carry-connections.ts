import { connect, type Socket } from "node:net";
import type { Channel } from "../../channel.ts";

const headBytes = 9;
/** Far longer than a busy daemon takes to start Python. */
const longestStartMs = 60_000;

export interface Carrier {
  /** That the relay listens on. */
  readonly port: number;
  /** From now on connections go to this port of this machine's loopback; undefined: to none, and those that are open are cut. */
  carry(to: number | undefined): void;
  /** The relay is gone. */
  readonly ended: boolean;
}

/**
 * Carries the connections of a relay (`relay-script.ts`) to a port of this machine's loopback, once it is known.
 * @throws Error where the relay does not start
 */
export function carryConnections(channel: Channel): Promise<Carrier> {
  let target: number | undefined;
  let ended = false;
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
    if (target === undefined) return send(number, 3);
    const socket = connect({ host: "127.0.0.1", port: target, allowHalfOpen: true });
    sockets.set(number, socket);
    socket.on("data", (data) => send(number, 1, data));
    socket.on("end", () => send(number, 2));
    socket.on("error", () => undefined); // its close follows
    socket.on("close", () => {
      sockets.delete(number);
      send(number, 3);
    });
  };

  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const carrier = (port: number): Carrier => ({
    port,
    carry(to) {
      target = to;
      if (to === undefined) cut();
    },
    get ended() {
      return ended;
    },
  });

  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`it did not listen within ${longestStartMs / 1000} s`)), longestStartMs);
    const frame = (number: number, kind: number, data: Buffer): void => {
      if (kind === 4) {
        clearTimeout(late);
        resolve(carrier(Number(data.toString())));
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
        ended = true;
        cut();
        reject(new Error(said.trim().split("\n").at(-1) || "it ended"));
      },
    });
  });
}
