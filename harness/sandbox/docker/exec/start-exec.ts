import type { Duplex } from "node:stream";
import type Docker from "dockerode";

/** Far longer than a busy daemon takes. */
const longestStartMs = 120_000;

/**
 * Starts an exec with its streams open both ways. Where the daemon refuses, as for a container that has just ended, the client leaves its request open,
 * and this process could not end for it: it is broken off. So is one that is never answered.
 */
export async function startExec(exec: Docker.Exec, o: Pick<Docker.ExecStartOptions, "Tty"> = {}): Promise<Duplex> {
  const refused = new AbortController();
  const late = setTimeout(() => refused.abort(), longestStartMs);
  try {
    return await exec.start({ ...o, hijack: true, stdin: true, abortSignal: refused.signal });
  } catch (error) {
    refused.abort();
    throw error;
  } finally {
    clearTimeout(late);
  }
}
