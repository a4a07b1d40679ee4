import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGatewayApp } from "./gateway-app.ts";
import { newTrialState, type GatewayTrial, type TrialState } from "./gateway-trial.ts";

/** A server on this machine's loopback between agents and their models. */
export interface Gateway {
  readonly port: number;
  /** Answers the requests that come with this token, which no other trial has, until it is closed. */
  open(trial: GatewayTrial, token: string): { close(): void };
  close(): Promise<void>;
}

export async function startGateway(): Promise<Gateway> {
  const trials = new Map<string, { readonly trial: GatewayTrial; readonly state: TrialState }>();
  const server = createServer(createGatewayApp((token) => trials.get(token))).listen(0, "127.0.0.1");
  if (!server.listening) await once(server, "listening");
  server.unref(); // a process that has nothing else to do ends
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    port,
    open(trial, token) {
      trials.set(token, { trial, state: newTrialState() });
      return { close: () => void trials.delete(token) };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
