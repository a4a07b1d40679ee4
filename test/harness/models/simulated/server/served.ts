import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { serve } from "@hono/node-server";
import type { Fault } from "../../../../../harness/models/simulated/faults/fault-kinds.ts";
import { createSimApp, type SimAppOptions } from "../../../../../harness/models/simulated/server/sim-app.ts";
import { plan } from "../conversation.ts";

export const instruction = "Write the report to out/report.txt.\n\nIt says how good it was.";
const task = { name: "report", instruction, plan };

export interface Serving {
  /** Base URL of the openai SDK; the Anthropic SDK takes `origin`. */
  readonly url: string;
  readonly origin: string;
  close(): Promise<void>;
}

/** A real server on a free port of this machine. */
export async function startSim(o: Partial<SimAppOptions> = {}): Promise<Serving> {
  const app = createSimApp({ tasks: [task], profile: "perfect", ...o });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }) as Server; // node:http's, since it is made without options
  if (!server.listening) await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export const failing = (...faults: Fault[]): Promise<Serving> => startSim({ faults });
