import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";

/** Why something a test needs is missing, and the command that would provide it. */
export interface Missing {
  reason: string;
  cure: string;
}

const baseImage = "forge-base/debian:bookworm";

/** Answers on stdout "up", "no-image", or prints why the daemon cannot be reached. A process of its own, because `skipIf` needs the answer at once. */
const askDaemon = `
const http = require("node:http");
const host = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
const url = new URL(host.replace(/^tcp:/, "http:"));
const where = url.protocol === "unix:" ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
const get = (path, then) => http.get({ ...where, path, timeout: 5000 }, (res) => { res.resume(); then(res.statusCode); })
  .on("timeout", function () { this.destroy(new Error("no answer within 5 s")); })
  .on("error", (error) => { console.log("at " + host + ": " + error.message); });
get("/_ping", (status) => status !== 200
  ? console.log("at " + host + ": HTTP " + status)
  : get("/images/${baseImage}/json", (found) => console.log(found === 200 ? "up" : "no-image")));
`;

function daemon(): string {
  return spawnSync(process.execPath, ["-e", askDaemon], { encoding: "utf8" }).stdout.trim();
}

/** Runs a command that proves the thing works, not only that it is installed. */
function runs(command: string, args: string[], debianPackage: string): Missing | undefined {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 20_000 });
  const cure = `apt-get install -y ${debianPackage}`;
  if (error && "code" in error && error.code === "ENOENT") return { reason: `${command} is not installed`, cure };
  if (error) return { reason: `${command} cannot be run: ${error.message}`, cure };
  if (status !== 0)
    return { reason: `${command} does not work here: ${stderr.trim().split("\n")[0] ?? ""}`, cure: "run on a machine that allows it" };
  return undefined;
}

const checks = {
  /** The daemon answers and the base image of the built-in tasks is there. */
  docker: () => {
    const answer = daemon();
    if (answer === "up") return undefined;
    if (answer === "no-image") return { reason: `the image ${baseImage} is not there`, cure: "npx forge images bootstrap" };
    return {
      reason: `no Docker daemon answers ${answer}`,
      cure: "apt-get install -y --no-install-recommends docker.io iptables debootstrap, then start dockerd (npm test does both as root on Debian)",
    };
  },
  /** The daemon alone. */
  "docker-daemon": () => {
    const answer = daemon();
    if (answer === "up" || answer === "no-image") return undefined;
    return {
      reason: `no Docker daemon answers ${answer}`,
      cure: "apt-get install -y --no-install-recommends docker.io iptables, then start dockerd",
    };
  },
  bubblewrap: () => runs("bwrap", ["--ro-bind", "/", "/", "true"], "bubblewrap"),
  git: () => runs("git", ["--version"], "git"),
  python3: () => runs("python3", ["--version"], "python3"),
  debootstrap: () => runs("debootstrap", ["--version"], "debootstrap"),
  strace: () => runs("strace", ["true"], "strace"),
  tmux: () => runs("tmux", ["-V"], "tmux"),
  chromium: () => runs("chromium", ["--version"], "chromium"),
  redis: () => runs("redis-server", ["--version"], "redis-server"),
  /** The compiled command, for tests that start it as a process. */
  build: () => (existsSync("dist/cli/main.js") ? undefined : { reason: "dist/cli/main.js is not built", cure: "npm run build" }),
} satisfies Record<string, () => Missing | undefined>;

export type Need = keyof typeof checks;

const answers = new Map<Need, Missing | undefined>();

/** Why it is missing, or undefined when it is there. Asked once a process. */
export function missing(what: Need): Missing | undefined {
  if (!answers.has(what)) answers.set(what, checks[what]());
  return answers.get(what);
}

/**
 * True when what a test needs is missing: `describe.skipIf(needs("docker"))("…", …)`.
 * The skip is noted in `FORGE_SKIPS_FILE` (one JSON object a line), from which `npm test` prints its closing list.
 * @throws Error when `FORGE_REQUIRE=all`, where a skip is a failure.
 */
export function needs(what: Need): boolean {
  const lack = missing(what);
  if (!lack) return false;
  const { FORGE_REQUIRE: required, FORGE_SKIPS_FILE: file } = process.env;
  if (required === "all") throw new Error(`${what} is required (FORGE_REQUIRE=all), but ${lack.reason}. To provide it: ${lack.cure}`);
  if (file) {
    const test = relative(process.cwd(), expect.getState().testPath ?? "");
    appendFileSync(file, `${JSON.stringify({ what, test, ...lack })}\n`);
  }
  return true;
}
