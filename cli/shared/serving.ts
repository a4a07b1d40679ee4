import { once } from "node:events";
import type { Server } from "node:http";
import { codeOf, CannotError, ConfigError, messageOf } from "../../harness/errors.ts";

/** What is being answered when Ctrl-C comes has so long to end. */
const graceMs = 2_000;

/** Waits until a server of ours listens. @throws ConfigError for a port that cannot be had, CannotError for an address that cannot */
export async function listening(server: Server, host: string, port: number): Promise<void> {
  try {
    if (!server.listening) await once(server, "listening");
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE")
      throw new ConfigError(`--port ${port}: the port is in use on ${host}. Name another one, or leave it out for a free one.`);
    if (code === "EACCES")
      throw new ConfigError(`--port ${port}: that port is not allowed here. Name one above 1023, or leave it out for a free one.`);
    throw new CannotError(`Cannot listen at ${host}:${port}: ${messageOf(error)}. Name an address of this machine with --host.`);
  }
}

/** Ends a server: what it is answering is waited for, but not for long. */
export async function closed(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  } finally {
    clearTimeout(timer);
  }
}
