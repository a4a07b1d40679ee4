// A Docker daemon for one run.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { missing } from "./missing.mjs";

/** @typedef {{ stop: () => Promise<void> }} Started */

/**
 * Starts a daemon in a session of its own whose output goes to a file (an inherited pipe would never close).
 * @returns {Promise<Started | import("./missing.mjs").Missing>} how to stop it, or why it does not start here
 */
export async function startDockerd() {
  freeAddresses();
  const first = await attempt();
  if ("stop" in first || !/iptables|nf_tables/i.test(first.reason)) return first;
  // Kernels without nf_tables, common under nested containers, still take the older interface.
  spawnSync("update-alternatives", ["--set", "iptables", "/usr/sbin/iptables-legacy"], { stdio: "ignore" });
  return attempt();
}

/**
 * A killed daemon leaves the network namespaces of its containers mounted, and so their addresses on its bridge. The next
 * daemon gives the same addresses out again, and a request to one of them may reach no server. A namespace in which a process lives stays.
 */
function freeAddresses() {
  const living = new Set(readdirSync("/proc").map((pid) => inode(`/proc/${pid}/ns/net`)));
  for (const line of readFileSync("/proc/mounts", "utf8").split("\n")) {
    const at = /^nsfs (\S+\/netns\/[0-9a-f]{12}) /.exec(line)?.[1];
    if (at !== undefined && !living.has(inode(at))) spawnSync("umount", [at], { stdio: "ignore" });
  }
}

/** @returns {Promise<Started | import("./missing.mjs").Missing>} */
async function attempt() {
  const folder = mkdtempSync(join(tmpdir(), "forge-dockerd-"));
  const log = join(folder, "dockerd.log");
  const out = openSync(log, "a");
  // A killed daemon leaves its containerd's pid behind; once another process has that pid, the next daemon takes it for
  // a running containerd and waits for it in vain. A run state of its own cannot be stale; images stay where they were.
  const [runState, pidFile] = [join(folder, "run"), join(folder, "dockerd.pid")];
  // It starts itself and other programs in Go some fifteen times for a container: a tenth of that was collecting the garbage of a program about to end.
  const env = { ...process.env, GOGC: "400" };
  const daemon = spawn("dockerd", ["--exec-root", runState, "--pidfile", pidFile], { env, detached: true, stdio: ["ignore", out, out] });
  let ended = false;
  daemon.once("exit", () => (ended = true));
  daemon.once("error", () => (ended = true));
  daemon.unref();
  process.once("exit", () => ended || daemon.kill("SIGTERM"));
  console.log(`Starting dockerd (log: ${log}) …`);

  const stop = async () => {
    if (!ended) daemon.kill("SIGTERM");
    for (let waited = 0; !ended && waited < 200; waited++) await sleep(100);
    if (!ended) daemon.kill("SIGKILL");
    else rmSync(runState, { recursive: true, force: true });
  };
  for (let waited = 0; waited < 300 && !ended; waited++) {
    await sleep(200);
    if (!missing("docker-daemon")) return { stop };
  }
  const late = !ended;
  await stop();
  return {
    reason: late ? "dockerd did not answer within 60 s" : `dockerd does not start here: ${lastWord(log)}`,
    cure: `see ${log}; run on a machine or in a container where dockerd starts`,
  };
}

/**
 * @param {string} log
 * @returns {string} the daemon's own reason
 */
function lastWord(log) {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const fatal = lines.findLast((line) => /^failed to start|level=fatal|level=error/.test(line));
  return (fatal ?? lines.at(-1) ?? "it said nothing").slice(0, 400);
}

/**
 * @param {string} path
 * @returns {number | undefined} of what is there, which may be gone in a moment
 */
function inode(path) {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}
