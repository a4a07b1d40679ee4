// What this machine lacks: one place for npm start, npm test and the tests' own gate (test/needs.ts).
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";

/**
 * Why something is missing, and the command that would provide it.
 * @typedef {{ reason: string, cure: string }} Missing
 */

/** The image from which the built-in tasks are built. */
export const baseImage = "forge-base/debian:bookworm";

// Answers "up" or "no-image", else says why no daemon answers. In a process of its own, because a test's gate needs the answer at once.
const askDaemon = `
const http = require("node:http");
const host = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
const url = new URL(host.replace(/^tcp:/, "http:"));
const where = url.protocol === "unix:" ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
const get = (path, then) => http.get({ ...where, path, timeout: 5000 }, (reply) => { reply.resume(); then(reply.statusCode); })
  .on("timeout", function () { this.destroy(new Error("no answer within 5 s")); })
  .on("error", (error) => { console.log("at " + host + ": " + error.message); });
get("/_ping", (status) => status !== 200
  ? console.log("at " + host + ": HTTP " + status)
  : get("/images/${baseImage}/json", (found) => console.log(found === 200 ? "up" : "no-image")));
`;

/** @returns {string} */
function daemon() {
  return spawnSync(process.execPath, ["-e", askDaemon], { encoding: "utf8" }).stdout.trim();
}

/**
 * What the set-up already tried in vain, so that a skip names the cause instead of the symptom.
 * @returns {Missing | undefined}
 */
function noDocker() {
  const tried = process.env["FORGE_NO_DOCKER"];
  /** @type {Missing | undefined} */
  const known = tried === undefined ? undefined : JSON.parse(tried);
  return known;
}

/** @returns {Missing | undefined} */
function dockerDaemon() {
  const answer = daemon();
  if (answer === "up" || answer === "no-image") return undefined;
  const cure = "apt-get install -y --no-install-recommends docker.io iptables debootstrap && dockerd &";
  return noDocker() ?? { reason: `no Docker daemon answers ${answer}`, cure };
}

/**
 * Runs a command that proves the thing works, not only that it is installed.
 * @param {string} command
 * @param {string[]} args
 * @param {string} debianPackage
 * @param {string} [elsewhere] the cure when it is installed but does not work
 * @returns {() => Missing | undefined}
 */
function works(command, args, debianPackage, elsewhere = `apt-get install -y --reinstall ${debianPackage}`) {
  return () => {
    const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 20_000 });
    if (error && "code" in error && error.code === "ENOENT") {
      return { reason: `${command} is not installed`, cure: `apt-get install -y --no-install-recommends ${debianPackage}` };
    }
    if (error) return { reason: `${command} cannot be run: ${error.message}`, cure: elsewhere };
    if (status !== 0) return { reason: `${command} does not work here: ${stderr.trim().split("\n")[0] ?? ""}`, cure: elsewhere };
    return undefined;
  };
}

/**
 * A control group of our own, in which containers stand for a machine: under root, with the daemon on this machine.
 * @returns {Missing | undefined}
 */
function controlGroups() {
  const without = dockerDaemon();
  if (without) return without;
  const group = `${existsSync("/sys/fs/cgroup/cgroup.controllers") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"}/forge-try-${process.pid}`;
  try {
    mkdirSync(group);
    rmdirSync(group);
  } catch (error) {
    const reason = `no control group can be made (${error instanceof Error ? error.message : "unknown"})`;
    return { reason, cure: "run as root on the daemon's own machine" };
  }
  const driver = spawnSync("docker", ["info", "--format", "{{.CgroupDriver}}"], { encoding: "utf8" }).stdout.trim();
  if (driver === "cgroupfs") return undefined;
  return {
    reason: `the daemon's cgroup driver is ${driver || "unknown"}`,
    cure: "start dockerd with --exec-opt native.cgroupdriver=cgroupfs",
  };
}

const checks = {
  /** The daemon answers and the base image of the built-in tasks is there. */
  docker: () =>
    dockerDaemon() ??
    (daemon() === "no-image" ? { reason: `the image ${baseImage} is missing`, cure: "npx forge images bootstrap" } : undefined),
  "docker-daemon": dockerDaemon,
  /** A plugin of Docker's command line that Debian has no package of. */
  buildx: works("docker", ["buildx", "version"], "docker.io", "install docker-buildx-plugin from Docker's own package source"),
  bubblewrap: works(
    "bwrap",
    ["/usr", "/bin", "/lib", "/lib64"].flatMap((path) => ["--ro-bind-try", path, path]).concat("true"),
    "bubblewrap",
    "run where user namespaces are allowed (a privileged container, or the machine itself)",
  ),
  cgroups: controlGroups,
  /** A file system of one's own, mounted on this machine: under root. */
  mount: works("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/tmp"], "util-linux mount", "run as root where mounting is allowed"),
  git: works("git", ["--version"], "git"),
  gcc: works("gcc", ["--version"], "gcc libc6-dev"),
  make: works("make", ["--version"], "make"),
  python3: works("python3", ["--version"], "python3"),
  debootstrap: works("debootstrap", ["--version"], "debootstrap"),
  strace: works("strace", ["true"], "strace", "run where ptrace is allowed (a container with --cap-add SYS_PTRACE, or the machine itself)"),
  tmux: works("tmux", ["-V"], "tmux"),
  chromium: works("chromium", ["--version"], "chromium"),
  redis: works("redis-server", ["--version"], "redis-server"),
  /** The index of traces; npm leaves it out where it cannot be compiled. */
  sqlite: works(
    process.execPath,
    ["-e", 'new (require("better-sqlite3"))(":memory:")'],
    "g++ make python3",
    "install g++, make and python3, then npm install better-sqlite3",
  ),
  /** The compiled command, for tests that start it as a process. */
  build: () => (existsSync("dist/cli/main.js") ? undefined : { reason: "dist/cli/main.js is not built", cure: "npm run build" }),
};

/**
 * Something that a test or the demonstration can need.
 * @typedef {keyof typeof checks} Need
 */

/** @type {ReadonlySet<Need>} */
export const allNeeds = new Set(/** @type {Need[]} */ (Object.keys(checks)));

/**
 * Why it is missing, or undefined when it is there and works.
 * @param {Need} what
 * @returns {Missing | undefined}
 */
export function missing(what) {
  return checks[what]();
}
