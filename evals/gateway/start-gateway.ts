import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createGatewayApp, type OpenTrial } from "./gateway-app.ts";
import { newTrialState, type GatewayTrial } from "./gateway-trial.ts";

/** A server on this machine's loopback between agents and their models. */
export interface Gateway {
  readonly port: number;
  /** Answers the requests that come with this token, which no other trial has, until it is closed: that cuts what is being answered, and waits until it is recorded. */
  open(trial: GatewayTrial, token: string): { close(): Promise<void> };
  close(): Promise<void>;
}

/** Milliseconds that a trial waits for its cut requests to be recorded. */
const longestCut = 5_000;

export async function startGateway(): Promise<Gateway> {
  const trials = new Map<string, OpenTrial>();
  const server = createServer(createGatewayApp((token) => trials.get(token))).listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  server.unref(); // a process that has nothing else to do ends
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    port,
    open(trial, token) {
      const opened: OpenTrial = { trial, state: newTrialState(), answering: new Map() };
      trials.set(token, opened);
      return {
        async close() {
          trials.delete(token);
          const { answering } = opened;
          for (const outgoing of answering.keys()) outgoing.destroy();
          if (answering.size > 0) await Promise.race([Promise.all(answering.values()), wait(longestCut, undefined, { ref: false })]);
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
