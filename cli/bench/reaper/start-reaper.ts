import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { thisOwner } from "../../../harness/sandbox/owner.ts";

/** What of this process's environment the reaper needs to find the daemon and the sandboxes' folders; no keys. */
const needed = ["PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "SSH_AUTH_SOCK"];

export interface Reaper {
  /** The work has ended by itself and left nothing: the reaper ends too. */
  release(): void;
}

/**
 * Starts a small process of its own session that outlives this one for a moment: when this process is gone without a word, by `kill -9` for one, it
 * removes the sandboxes that were left. It hears of the end by a pipe, so it waits without polling. Where it cannot be started, the sweep at the next
 * start does the same.
 * @param kind of sandboxes to look after; left out: all
 * @param dockerHosts addresses of the daemons, where the environment's is not the one
 */
export function startReaper(kind?: string, dockerHosts: readonly string[] = []): Reaper {
  const kinds = kind === undefined ? "docker,bubblewrap,local" : kind === "local-unsafe" ? "local" : kind;
  const { process: owner, place } = thisOwner();
  const env = Object.fromEntries(needed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const child = spawn(process.execPath, [...program(), owner, place, kinds, ...dockerHosts], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env,
  });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // the pipe must not keep this process alive; sockets of pipes can be unref'd, the type does not say so
  (child.stdin as unknown as { unref?(): void }).unref?.();
  return { release: () => void child.stdin.end("released\n") };
}

/** The compiled reaper, or, where the sources run as they are, the source through jiti. */
function program(): string[] {
  const here = fileURLToPath(import.meta.url);
  if (!here.endsWith(".ts")) return [join(dirname(here), "reap.js")];
  const jiti = dirname(createRequire(import.meta.url).resolve("jiti/package.json"));
  return [join(jiti, "lib", "jiti-cli.mjs"), join(dirname(here), "reap.ts")];
}
